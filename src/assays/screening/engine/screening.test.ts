import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeScreening } from '#testing/analysis/analyze.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import { computeBindingScore } from '../../binding/engine/replicate.ts';
import type { BindingSettingsInput } from '../../binding/engine/settings.ts';
import {
  createPlateControls,
  computeRelativeError,
  createSeries,
  synthesize,
} from '#testing/analysis/synthetic.ts';
import type { SyntheticTrace } from '#testing/analysis/synthetic.ts';
import type { ScreeningAnalysis } from './types.ts';

const KINETICS = { kon: 1e5, koff: 2e-3 };
const DOSES = [1e-6, 1e-7];

function sample(change: Partial<SyntheticTrace> = {}): SyntheticTrace[] {
  return createSeries(
    { role: 'sample', sample: 'design', kinetics: KINETICS, nonSpecific: 0.01, ...change },
    DOSES,
  );
}

function run(
  traces: SyntheticTrace[],
  settings: BindingSettingsInput = {},
  controls = createPlateControls(),
): ScreeningAnalysis {
  return analyzeScreening([synthesize({ noiseSd: 0.004, traces: [...controls, ...traces] })], settings);
}

test('screening: binders and non-binders → called against the threshold of the plate', () => {
  const traces = Array.from({ length: 20 }, (_, i) =>
    sample({ sample: `d${i}`, kinetics: i % 2 === 0 ? KINETICS : null }),
  ).flat();
  const analysis = run(traces);
  for (const [i, sequence] of analysis.sequences.entries()) {
    assert.equal(sequence.binding, i % 2 === 0 ? 'binder' : 'non_binder', sequence.sample);
    assert.equal(sequence.responseUnit, 'nm');
  }
  const [binder, other] = analysis.sequences;
  const expected = (1e5 * 1e-6) / (1e5 * 1e-6 + 2e-3);
  assert.ok(computeRelativeError(binder.response, expected) < 0.02);
  assert.ok((binder.bindingScore ?? 0) > 3 && (binder.zScore ?? 0) > 3);
  assert.ok((other.bindingScore ?? 0) < 0);
  assert.equal(other.bindingStrength, 'none');
  assert.equal(other.kdEstimate, null);
});

test('screening: a KD of two concentrations → an estimate', () => {
  const [sequence] = run(sample({ kinetics: { kon: 1e5, koff: 3e-2 } })).sequences;
  assert.equal(sequence.kdEstimate?.relation, '~');
  assert.ok(computeRelativeError(sequence.kdEstimate?.value, 3e-7) < 0.2);
  assert.equal(sequence.bindingStrength, 'medium');
});

test('inconclusive: replicates disagree → inconclusive, without a place', () => {
  const [sequence] = run([
    ...sample({ replicate: 1 }),
    ...sample({ replicate: 2, kinetics: null }),
  ]).sequences;
  assert.deepEqual([sequence.outcome, sequence.binding], ['inconclusive', 'inconclusive']);
  assert.ok(hasFlag(sequence.flags, 'REPLICATES_DISAGREE'));
  assert.equal(sequence.place, null);
});

test('inconclusive: a response between two and three standard deviations → inconclusive', () => {
  const { threshold } = run(sample({ kinetics: null })).sequences[0].replicates[0];
  const rmax = (0.85 * (threshold ?? 0)) / 0.98;
  const seen = run(sample({ rmax })).sequences[0].replicates[0];
  assert.equal(seen.binding, (seen.response ?? 0) > (seen.threshold ?? 0) ? 'binder' : 'inconclusive');
});

test('threshold: one bad negative control → the threshold stays', () => {
  const spoiled = createPlateControls().map((trace) => {
    return trace.sample === 'nc-3' ? { ...trace, kinetics: KINETICS } : trace;
  });
  const clean = run(sample()).sequences[0].threshold ?? 0;
  const robust = run(sample(), {}, spoiled).sequences[0].threshold ?? 0;
  assert.ok(robust < 3 * clean && robust < 0.1, `${clean} → ${robust}`);
  assert.equal(run(sample(), {}, spoiled).plates[0].pass, true);
});

test('CONTROL_FAILED: negative controls bind → the plate fails, and responses below the threshold are inconclusive', () => {
  const sticking = (n: number): SyntheticTrace[] =>
    createPlateControls().map((trace) => {
      const nth = Number(/^nc-(\d)$/.exec(trace.sample)?.[1] ?? 99);
      return nth <= n ? { ...trace, kinetics: KINETICS, rmax: 0.1 + 0.1 * nth } : trace;
    });
  const traces = [...sample({ rmax: 0.3 }), ...sample({ sample: 'none', kinetics: null })];
  const raised = run(traces, {}, sticking(5));
  assert.equal(raised.plates[0].pass, false);
  for (const each of raised.sequences) {
    assert.equal(each.binding, 'inconclusive');
    assert.ok(hasFlag(each.flags, 'CONTROL_FAILED'));
  }
  // Three of eight leave the threshold unchanged: the plate fails, and its calls remain.
  const few = run(traces, {}, sticking(3));
  assert.equal(few.plates[0].pass, false);
  assert.deepEqual(
    few.sequences.map(({ binding }) => binding),
    ['binder', 'non_binder'],
  );
});

test('not_expressed, BELOW_THEORETICAL_RMAX: no loading, or a response far below the theoretical Rmax → not_expressed, inconclusive', () => {
  assert.equal(run(sample({ loading: 0.01, kinetics: null })).sequences[0].outcome, 'not_expressed');
  const masses = { analyteMassDa: 60_000, ligandMassDa: { design: 30_000 } };
  const [full] = run(sample(), masses).sequences;
  assert.ok(computeRelativeError(full.pctTheoreticalRmax, 49) < 0.05);
  const [small] = run(sample({ rmax: 0.15 }), masses).sequences;
  assert.equal(small.binding, 'inconclusive');
  assert.ok(hasFlag(small.flags, 'BELOW_THEORETICAL_RMAX'));
});

/** The plate with this number of negative controls, with or without its positive one. */
function createControls(negatives: number, positive = true): SyntheticTrace[] {
  return createPlateControls().filter(({ role, sample: name }) => {
    if (role === 'negative_control') return Number(name.slice(3)) <= negatives;
    return positive || role !== 'positive_control';
  });
}

for (const [negatives, severity] of [
  [8, null],
  [7, 'info'],
  [3, 'info'],
  [2, 'warning'],
  [0, 'warning'],
] as const) {
  test(`FEW_NEGATIVE_CONTROLS: ${negatives} negative controls → ${severity ?? 'enough'}, shown with every sequence`, () => {
    const analysis = run(sample(), {}, createControls(negatives));
    const found = analysis.sequences[0].flags.find(({ code }) => code === 'FEW_NEGATIVE_CONTROLS');
    assert.equal(found?.severity ?? null, severity);
    assert.equal(analysis.plates[0].pass, severity !== 'warning');
    if (found !== undefined) assert.deepEqual([found.value, found.limit], [negatives, 8]);
  });
}

test('FEW_NEGATIVE_CONTROLS: fewer than three → a call needs a clear response and a binding positive control, or the masses', () => {
  const traces = [
    ...sample(),
    ...sample({ sample: 'none', kinetics: null }),
    ...sample({ sample: 'faint', rmax: 0.07 }),
  ];
  const callSamples = (
    controls: SyntheticTrace[],
    settings: BindingSettingsInput = {},
  ): Record<string, string> => {
    const { sequences } = run(traces, settings, controls);
    return Object.fromEntries(sequences.map((each) => [each.sample, each.binding]));
  };
  const all = { design: 'binder', none: 'non_binder', faint: 'binder' };
  assert.deepEqual(callSamples(createControls(8)), all);
  assert.deepEqual(callSamples(createControls(3)), all);
  const few = run(traces, {}, createControls(2));
  assert.deepEqual(callSamples(createControls(2)), { ...all, faint: 'inconclusive' });
  assert.ok(few.sequences.every(({ replicates }) => replicates[0].confidence !== 'high'));
  assert.equal(few.plates[0].positiveControls[0].pass, true);
  const open = { design: 'inconclusive', none: 'inconclusive', faint: 'inconclusive' };
  assert.deepEqual(callSamples(createControls(0, false)), open);
  const masses = { analyteMassDa: 60_000, ligandMassDa: { design: 60_000, none: 60_000 } };
  assert.deepEqual(callSamples(createControls(0, false), masses), {
    ...open,
    design: 'binder',
    none: 'non_binder',
  });
  const dead = createControls(2).map((each) =>
    each.role === 'positive_control' ? { ...each, kinetics: null } : each,
  );
  assert.deepEqual(callSamples(dead), open);
});

test('LOADING_LOW, NSB, SATURATED, NON_MONOTONIC_DOSE: beyond and just within each limit → raised, not raised', () => {
  const listCodes = (
    traces: SyntheticTrace[],
    settings: BindingSettingsInput = {},
    controls = createPlateControls(),
  ) => {
    const { sequences } = run(traces, settings, controls);
    return sequences[0].flags.map(({ code }) => code);
  };
  assert.ok(listCodes(sample({ loading: 0.28 })).includes('LOADING_LOW'));
  assert.ok(listCodes(sample({ loading: 0.28, kinetics: null })).includes('LOADING_LOW'));
  assert.ok(!listCodes(sample({ loading: 0.32 })).includes('LOADING_LOW'));
  assert.ok(listCodes(sample({ loading: 0.09 })).includes('NOT_LOADED'));
  const sticky = (nonSpecific: number) =>
    listCodes(sample({ nonSpecific }), {}, createPlateControls(nonSpecific));
  assert.ok(sticky(0.27).includes('NSB') && !sticky(0.23).includes('NSB'));
  const listCodesWhenSaturated = (saturationSignal: number) =>
    listCodes(sample(), { limits: { saturationSignal } });
  assert.ok(
    listCodesWhenSaturated(1.9).includes('SATURATED') && !listCodesWhenSaturated(2.1).includes('SATURATED'),
  );
  const listCodesWhenHooked = (rmax: number) =>
    listCodes(sample().map((each, i) => (i === 0 ? { ...each, rmax } : each)));
  assert.ok(
    listCodesWhenHooked(0.62).includes('NON_MONOTONIC_DOSE') &&
      !listCodesWhenHooked(0.7).includes('NON_MONOTONIC_DOSE'),
  );
});

test('BELOW_THEORETICAL_RMAX: just below and above a tenth of the theoretical Rmax → inconclusive, binder', () => {
  const masses = { analyteMassDa: 60_000, ligandMassDa: { design: 30_000 } };
  const at = (rmax: number) => run(sample({ rmax }), masses).sequences[0];
  assert.deepEqual([at(0.19).binding, at(0.22).binding], ['inconclusive', 'binder']);
});

test('invalid settings: a mass or an expected KD for a name that the files do not have → refused with the known names', () => {
  const refused: [BindingSettingsInput, RegExp][] = [
    [
      { ligandMassDa: { desing: 30_000 } },
      /ligand_mass_da has names that no file contains: desing\. The files have .*design/,
    ],
    [{ controlKdM: { design: 1e-8 } }, /control_kd_m names design, a sample in the files;.*Cetuximab scFv/],
  ];
  for (const [settings, message] of refused) assert.throws(() => run(sample(), settings), message);
});

test('binding score: response over threshold → its log2, clipped to −5…8', () => {
  assert.deepEqual(
    [0.4, 0.1, 0.0125, -1, 0, 1e9].map((response) => computeBindingScore(response, 0.1)),
    [2, 0, -3, -5, -5, 8],
  );
});
