/** Every quality rule of melting curves: the flag is raised beyond the limit, and not just within it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Flag, FlagCode } from '#analysis/quality/flags.ts';
import { createMeltSet, createMeltTrace } from '#testing/analysis/melts.ts';
import type { MeltWell } from '#testing/analysis/melts.ts';
import { analyzeMeltingSets } from './melting.ts';
import type { MeltingSettingsInput } from './settings.ts';
import type { ThermostabilityAnalysis } from './types.ts';

function createMelt(tmC: number, change: Partial<MeltWell> = {}): MeltWell {
  const transitions = [{ tmC, dhKcalPerMol: 100, amplitude: 1 }];
  return { well: 'A1', sample: 'design', transitions, noiseSd: 0.005, ...change };
}

function run(wells: MeltWell[], settings: MeltingSettingsInput = {}): ThermostabilityAnalysis {
  return analyzeMeltingSets([createMeltSet(wells.map(createMeltTrace))], settings);
}

function findFlag({ plates, sequences }: ThermostabilityAnalysis, code: FlagCode): Flag | undefined {
  return [...plates.flatMap(({ flags }) => flags), ...(sequences.at(0)?.flags ?? [])].find(
    (each) => each.code === code,
  );
}

const runTwice = (apart: number): ThermostabilityAnalysis =>
  run([createMelt(60), createMelt(60 + apart, { well: 'A2', replicate: 2, seed: 2 })]);

const runControlled = (tmC: number): ThermostabilityAnalysis =>
  run([createMelt(60), createMelt(tmC, { well: 'H1', role: 'positive_control', sample: 'lysozyme' })], {
    controlTmC: { lysozyme: 72 },
  });

const createScattering = (tmC: number): MeltWell => ({
  well: 'A1',
  sample: 'design',
  channel: 'scattering',
  transitions: [{ tmC, dhKcalPerMol: 150, amplitude: 5 }],
  noiseSd: 0.01,
});

/** 95 % intervals of about ±2.0 and ±0.7 °C. */
const runWide = (noiseSd: number): ThermostabilityAnalysis =>
  run([createMelt(0, { transitions: [{ tmC: 60, dhKcalPerMol: 50, amplitude: 1 }], noiseSd, rho: 0.8 })], {
    method: 'two_state',
  });

const RULES: readonly [
  code: FlagCode,
  severity: Flag['severity'],
  beyond: () => ThermostabilityAnalysis,
  within: () => ThermostabilityAnalysis,
][] = [
  ['NO_TRANSITION', 'warning', () => run([createMelt(60, { transitions: [] })]), () => run([createMelt(60)])],
  [
    'SEVERAL_TRANSITIONS',
    'info',
    () =>
      run([
        createMelt(0, {
          transitions: [50, 75].map((tmC) => ({ tmC, dhKcalPerMol: 120, amplitude: 1 })),
        }),
      ]),
    () => run([createMelt(60)]),
  ],
  [
    'AGGREGATES_EARLY',
    'warning',
    () => run([createMelt(62), createScattering(60)]),
    () => run([createMelt(52), createScattering(60)]),
  ],
  // The standard deviation of two values is their difference over √2.
  ['REPLICATES_DISAGREE', 'warning', () => runTwice(1.6), () => runTwice(1.2)],
  [
    'REPLICATES_DISAGREE',
    'warning',
    () => run([createMelt(60), createMelt(60, { well: 'A2', replicate: 2, transitions: [] })]),
    () => runTwice(0),
  ],
  ['CONTROL_FAILED', 'warning', () => runControlled(69.8), () => runControlled(70.2)],
  ['CONTROL_FAILED', 'warning', () => runControlled(74.2), () => runControlled(73.8)],
  [
    'BLANK_MELTS',
    'warning',
    () => run([createMelt(60), createMelt(55, { well: 'H12', role: 'blank', sample: 'buffer' })]),
    () =>
      run([
        createMelt(60),
        createMelt(55, { well: 'H12', role: 'blank', sample: 'buffer', transitions: [] }),
      ]),
  ],
  ['TM_UNCERTAIN', 'warning', () => runWide(0.06), () => runWide(0.002)],
];

describe('flags at their limits', () => {
  for (const [index, [code, severity, beyond, within]] of RULES.entries()) {
    test(`${code}: case ${index + 1}, beyond and within its limit → raised, not raised`, () => {
      const found = findFlag(beyond(), code);
      assert.equal(found?.severity, severity);
      assert.equal(findFlag(within(), code), undefined);
    });
  }

  test('TM_METHODS_DISAGREE: the distance to the nearest peak of the derivative just beyond and within the limit → raised, not raised', () => {
    const at = (methodsDifferMaxC: number) =>
      run([createMelt(60, { slopePerC: 0.02, slopeChangePerC: -0.02 })], {
        method: 'two_state',
        limits: { methodsDifferMaxC },
      });
    const found = findFlag(at(0), 'TM_METHODS_DISAGREE');
    assert.ok(found?.value !== null && found !== undefined && found.value > 0, JSON.stringify(found));
    assert.equal(findFlag(at(found.value * 0.99), 'TM_METHODS_DISAGREE')?.severity, 'warning');
    assert.equal(findFlag(at(found.value * 1.01), 'TM_METHODS_DISAGREE'), undefined);
  });
});

test('invalid settings: an expected Tm for a name that is no positive control → refused with the known names', () => {
  assert.throws(
    () => run([createMelt(60)], { controlTmC: { design: 60 } }),
    /control_tm_c names design, a sample in the files; it has to name positive controls\. The files have none\./,
  );
});

test('relation of Tm: one of two replicates shows a transition → an estimate with its reason; two of three → measured', () => {
  const flat = { transitions: [] };
  const analyze = (...changes: Partial<MeltWell>[]) =>
    run(
      changes.map((change, i) =>
        createMelt(60, { well: `A${i + 1}`, replicate: i + 1, seed: i + 1, ...change }),
      ),
    ).sequences[0];
  const half = analyze({}, flat);
  assert.deepEqual([half.tm?.relation, half.tmAll[0].doubt], ['~', 'transition_not_in_all']);
  const most = analyze({}, {}, flat);
  assert.deepEqual([most.tm?.relation, most.tmAll[0].doubt], ['=', null]);
});
