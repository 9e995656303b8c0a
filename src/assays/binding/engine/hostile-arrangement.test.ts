/** Files and settings that contradict what they mean never give a number without a warning. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { analyzeAffinity, analyzeScreening } from '#testing/analysis/analyze.ts';
import type { AffinityAnalysis, ReplicateAffinity } from '../../affinity/engine/types.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { resolveSettings } from './settings.ts';
import type { BindingSettingsInput } from './settings.ts';
import {
  SERIES_M,
  createPlateControls,
  computeRelativeError,
  createSeries,
  synthesize,
  toFile,
} from '#testing/analysis/synthetic.ts';
import type { SyntheticTrace } from '#testing/analysis/synthetic.ts';

const BINDER = { kon: 1e5, koff: 2e-3 };
const NOISE = { noiseSd: 0.004, associationS: 200, dissociationS: 300 };

function createBinder(change: Partial<SyntheticTrace> = {}): SyntheticTrace[] {
  return createSeries({ role: 'sample', sample: 'd1', kinetics: BINDER, nonSpecific: 0.01, ...change });
}

function run(traces: SyntheticTrace[], settings: BindingSettingsInput = {}): AffinityAnalysis {
  return analyzeAffinity([synthesize({ ...NOISE, traces })], settings);
}

function expectRefused(settings: Record<string, unknown>, pattern: RegExp): void {
  assert.throws(
    () => resolveSettings(settings),
    (error) =>
      error instanceof AnalysisError && error.code === 'settings_invalid' && pattern.test(error.message),
  );
}

function listReplicateNumbers(replicates: readonly ReplicateAffinity[]): number[] {
  return replicates.map(({ replicate }) => replicate).sort((a, b) => a - b);
}

describe('assignments', () => {
  test('assign: a concentration in nM, a text, an unknown field or an unknown role → refused by name', () => {
    expectRefused(
      { assign: { T1: { concentrationM: 1000 } } },
      /assign\["T1"\]\.concentrationM .* in M, from 0/,
    );
    expectRefused({ assign: { T1: { concentrationM: '5e-6' } } }, /concentrationM/);
    expectRefused({ assign: { T1: { injectionsM: [1e-9, 10] } } }, /injectionsM/);
    expectRefused(
      { assign: { T1: { concentration: 1e-6 } } },
      /Unknown setting assign\["T1"\]\.concentration;/,
    );
    expectRefused({ assign: { T1: { role: 'guess' } } }, /role has to be sample/);
    expectRefused({ assign: { T1: { replicate: 1.5 } } }, /replicate/);
    expectRefused({ assign: { T1: 'exclude' } }, /an object/);
  });

  test('assign: a trace that no file has, on any plate → refused', () => {
    const files = ['P1', 'P2'].map((plate) =>
      synthesize({ ...NOISE, plate, traces: [...createPlateControls(), ...createBinder()] }, `${plate}.csv`),
    );
    const excluded = { exclude: true };
    assert.throws(
      () => analyzeAffinity(files, { assign: { T1: excluded, T999: excluded } }),
      /names traces that no file has: T999\./,
    );
    assert.doesNotThrow(() => analyzeAffinity(files, { assign: { 'P2/T1': excluded } }));
  });
});

describe('two sensors of one name, replicate and concentration', () => {
  const dark = { kinetics: null };

  test('REPLICATES_SPLIT: a binder and a non-binder of one name, in either order → two replicates that disagree', () => {
    for (const pair of [
      [createBinder(), createBinder(dark)],
      [createBinder(dark), createBinder()],
    ]) {
      const [sequence] = run([...createPlateControls(), ...pair.flat()]).sequences;
      assert.deepEqual(listReplicateNumbers(sequence.replicates), [1, 2]);
      const outcomes = sequence.replicates.map(({ outcome }) => outcome).sort();
      assert.deepEqual(outcomes, ['measured', 'non_binder']);
      assert.ok(sequence.flags.some(({ code }) => code === 'REPLICATES_SPLIT'));
    }
  });

  test('screening: a binder and a non-binder of one name → the order in the file does not matter', () => {
    const scores = [
      [createBinder(), createBinder(dark)],
      [createBinder(dark), createBinder()],
    ].map((pair) => {
      const file = synthesize({ ...NOISE, traces: [...createPlateControls(), ...pair.flat()] });
      const [sequence] = analyzeScreening([file]).sequences;
      assert.equal(sequence.replicates.length, 2);
      return sequence.replicates.map(({ binding }) => binding).sort();
    });
    assert.deepEqual(scores[0], scores[1]);
    assert.deepEqual(scores[0], ['binder', 'non_binder']);
  });

  test('replicates: three under one number → three replicates, with their spread and their blanks', () => {
    const traces = [0.8, 1, 1.25].flatMap((factor) =>
      createBinder({ kinetics: { kon: 1e5, koff: 2e-3 * factor } }),
    );
    const [sequence] = run([...createPlateControls(), ...traces]).sequences;
    assert.deepEqual(listReplicateNumbers(sequence.replicates), [1, 2, 3]);
    assert.ok(sequence.replicates.every(({ fit }) => fit?.referenceRule === 'double'));
    assert.ok(computeRelativeError(sequence.kd?.value, 2e-8) < 0.05);
    assert.equal(sequence.kd?.n, 3);
  });

  test('replicates: numbers in the file → kept, and further sensors get free ones', () => {
    const traces = [
      ...createBinder({ replicate: 1 }),
      ...createBinder({ replicate: 2 }),
      ...createBinder({ replicate: 1 }),
    ];
    const [sequence] = run([...createPlateControls(), ...traces]).sequences;
    assert.deepEqual(listReplicateNumbers(sequence.replicates), [1, 2, 3]);
  });

  test('replicates: a repeated concentration on one surface → stays with its replicate', () => {
    const traces = [...createBinder(), ...createBinder().slice(0, 1)];
    const file = synthesize({ ...NOISE, technique: 'spr', traces: [...createPlateControls(), ...traces] });
    const [sequence] = analyzeAffinity([file]).sequences;
    assert.deepEqual(listReplicateNumbers(sequence.replicates), [1]);
    assert.equal(sequence.replicates[0].concentrationsM.length, SERIES_M.length + 1);
  });
});

describe('steps', () => {
  test('failed_qc: no dissociation phase → no rates, with a message; steady state → measured', () => {
    const file = synthesize({ ...NOISE, traces: [...createPlateControls(), ...createBinder()] });
    const text = new TextDecoder().decode(file.bytes).split('\n');
    const cut = toFile('cut.csv', text.filter((line) => !line.includes(',dissociation,')).join('\n'));
    const [sequence] = analyzeAffinity([cut]).sequences;
    assert.equal(sequence.outcome, 'failed_qc');
    assert.equal(sequence.kd, null);
    assert.ok(sequence.flags.some(({ message }) => message.includes('has no dissociation')));
    const [steady] = analyzeAffinity([cut], { model: 'steady_state' }).sequences;
    assert.equal(steady.outcome, 'measured');
  });

  test('associationS: longer than the trace → refused, because the times are in minutes', () => {
    const times = Array.from({ length: 60 }, (_, i) => i / 4);
    const rows = times.map((time) => `${time}\t${Math.min(time, 5) * 0.1}`);
    const xy = toFile('xy.txt', `d1 100 nM_X\td1 100 nM_Y\n${rows.join('\n')}\n`);
    assert.throws(
      () => analyzeAffinity([xy], { associationS: 300 }),
      /ends 14\.75 s after its association starts: association_s cannot be 300/,
    );
  });

  test('sampling: points closer than any instrument takes them → refused, because the times are not in seconds', () => {
    const file = synthesize({ ...NOISE, traces: [...createPlateControls(), ...createBinder()] });
    const text = new TextDecoder().decode(file.bytes);
    const minutes = text.replaceAll(/^(T\d+,\w+),(\d+),/gm, (_, head: string, seconds: string) => {
      return `${head},${(Number(seconds) / 60).toFixed(9)},`;
    });
    assert.throws(() => analyzeAffinity([toFile('m.csv', minutes)]), /its times are not in seconds/);
  });
});

describe('references', () => {
  const sticky = 0.3;

  function without(...missingM: number[]): SyntheticTrace[] {
    return createPlateControls(sticky).filter(
      ({ role, concentrationM }) => role !== 'reference' || !missingM.includes(concentrationM ?? -1),
    );
  }

  test('references: one concentration without its reference → left out, and the others stay double-referenced', () => {
    const [sequence] = run([...without(SERIES_M[1]), ...createBinder({ nonSpecific: sticky })]).sequences;
    assert.equal(sequence.replicates[0].fit?.referenceRule, 'double');
    assert.ok(computeRelativeError(sequence.kd?.value, 2e-8) < 0.1, `KD ${sequence.kd?.value}`);
    assert.ok(sequence.flags.some(({ message }) => message.includes('no reference sensor at 300 nM')));
  });

  test('NO_REFERENCE: most concentrations without a reference → nothing is referenced, with a warning', () => {
    const missing = SERIES_M.slice(0, 3);
    const [sequence] = run([...without(...missing), ...createBinder({ nonSpecific: sticky })]).sequences;
    const warning = sequence.flags.find(({ code }) => code === 'NO_REFERENCE');
    assert.equal(warning?.severity, 'warning');
    assert.notEqual(sequence.replicates[0].confidence, 'high');
  });
});
