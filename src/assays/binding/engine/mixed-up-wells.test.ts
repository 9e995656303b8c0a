/**
 * Empty wells, bare sensors and swapped positions of a dose series, from files: they are detected and never reported
 * as no binding.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SequenceAffinity } from '../../affinity/engine/types.ts';
import { analyzeAffinity, analyzeScreening } from '#testing/analysis/analyze.ts';
import type { BindingSettingsInput } from './settings.ts';
import {
  SERIES_M,
  createPlateControls,
  computeRelativeError,
  createSeries,
  synthesize,
} from '#testing/analysis/synthetic.ts';
import type { SyntheticTrace } from '#testing/analysis/synthetic.ts';

const DOSES_M = [3e-7, 1e-7, 3e-8, 1e-8];
const KD_M = 3e-8;
const DRIFT = { drift: true };
const EMPTY = { heldM: 0 };
const BARE = { loading: 0, kinetics: null };

function createDesign(change: Partial<SyntheticTrace> = {}): SyntheticTrace[] {
  const kinetics = { kon: 1e5, koff: 3e-3 };
  return createSeries({ role: 'sample', sample: 'design', kinetics, ...change }, DOSES_M);
}

function changeAt(index: number, change: Partial<SyntheticTrace>, traces = createDesign()): SyntheticTrace[] {
  return traces.map((each, i) => (i === index ? { ...each, ...change } : each));
}

function createReferences(change: Partial<SyntheticTrace> = {}): SyntheticTrace[] {
  return createSeries({ role: 'reference', sample: '', loading: 0, ...change }, DOSES_M);
}

function measureTraces(
  traces: SyntheticTrace[],
  { settings = DRIFT, seed = 1 }: { settings?: BindingSettingsInput; seed?: number } = {},
): SequenceAffinity {
  const file = synthesize({ noiseSd: 0.002, seed, traces });
  return analyzeAffinity([file], { curves: false, ...settings }).sequences[0];
}

function listCodes(sequence: { flags: readonly { code: string; severity: string }[] }): string[] {
  return sequence.flags.filter(({ severity }) => severity !== 'info').map(({ code }) => code);
}

describe('the highest dose', () => {
  test('NON_MONOTONIC_DOSE: an empty well at the highest dose, with and without drift → failed_qc', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      for (const settings of [{}, DRIFT]) {
        const found = measureTraces([...createReferences(), ...changeAt(0, EMPTY)], { settings, seed });
        assert.deepEqual([found.outcome, found.kd, found.bindingScore], ['failed_qc', null, null]);
        const error = found.flags.find(({ code }) => code === 'NON_MONOTONIC_DOSE');
        assert.equal(error?.severity, 'error');
      }
    }
  });

  test('NON_MONOTONIC_DOSE: the highest dose far below a lower one, a little below, or saturated → failed_qc, estimate, measured', () => {
    const reversed = createDesign().map((each, i) => (i < 4 ? { ...each, heldM: DOSES_M[3 - i] } : each));
    assert.equal(measureTraces([...createReferences(), ...reversed]).outcome, 'failed_qc');
    const swapped = changeAt(1, { heldM: DOSES_M[0] }, changeAt(0, { heldM: DOSES_M[1] }));
    const found = measureTraces([...createReferences(), ...swapped]);
    assert.deepEqual([found.outcome, found.kd?.relation, found.kon?.relation], ['measured', '~', '~']);
    assert.deepEqual(
      found.replicates.map(({ confidence }) => confidence),
      ['low'],
    );
    const lower = measureTraces([
      ...createReferences(),
      ...changeAt(0, { rmax: 0.93 }, createDesign({ kinetics: { kon: 1e6, koff: 3e-3 } })),
    ]);
    assert.equal(lower.kd?.relation, '=');
  });

  test('non_binder: a sequence without binding at any noise → non_binder without flags', () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const found = measureTraces([...createReferences(), ...createDesign({ kinetics: null })], { seed });
      assert.deepEqual([found.outcome, found.binding, listCodes(found)], ['non_binder', 'non_binder', []]);
    }
  });

  test('screening: an empty well, or a sensor without protein → failed_qc, or NOT_LOADED', () => {
    const screenChanged = (change: Partial<SyntheticTrace>) => {
      const kinetics = { kon: 1e5, koff: 3e-3 };
      const two = createSeries({ role: 'sample', sample: 'design', kinetics }, SERIES_M.slice(0, 2));
      const file = synthesize({
        noiseSd: 0.002,
        traces: [...createPlateControls(0), ...changeAt(0, change, two)],
      });
      return analyzeScreening([file]).sequences[0];
    };
    assert.deepEqual([screenChanged({}).outcome, screenChanged({}).binding], ['measured', 'binder']);
    assert.deepEqual([screenChanged(EMPTY).outcome, screenChanged(EMPTY).binding], ['failed_qc', 'unknown']);
    assert.deepEqual([screenChanged(EMPTY).response, screenChanged(EMPTY).bindingScore], [null, null]);
    assert.deepEqual(
      [screenChanged(BARE).binding, listCodes(screenChanged(BARE))],
      ['binder', ['NOT_LOADED']],
    );
  });
});

/** Three doses leave other mechanisms open, which is no fault of a well. */
const listFaults = (found: Parameters<typeof listCodes>[0]): string[] =>
  listCodes(found).filter((code) => code !== 'OTHER_MECHANISM');

describe('a sensor without protein', () => {
  test('NOT_LOADED: a sensor without protein at any dose → left out with the flag, KD stays right', () => {
    for (const index of [0, 2]) {
      const found = measureTraces([...createReferences(), ...changeAt(index, BARE)]);
      assert.deepEqual([found.outcome, found.kd?.relation], ['measured', '=']);
      assert.ok(computeRelativeError(found.kd?.value, KD_M) < 0.1, `${found.kd?.value}`);
      assert.deepEqual(listFaults(found), ['NOT_LOADED']);
    }
  });

  test('NO_REFERENCE: a sensor without protein changed places with a reference → a warning, and KD stays right', () => {
    const loaded = { loading: 1, kinetics: { kon: 1e5, koff: 3e-3 } };
    const traces = [
      ...changeAt(0, loaded, createReferences()),
      ...changeAt(0, BARE),
      ...createDesign({ sample: 'other' }),
    ];
    const { plates, sequences } = analyzeAffinity([synthesize({ noiseSd: 0.002, traces })], DRIFT);
    assert.ok(
      plates[0].flags.some(({ code, severity }) => code === 'NO_REFERENCE' && severity === 'warning'),
    );
    for (const { kd } of sequences) assert.ok(computeRelativeError(kd?.value, KD_M) < 0.1, `${kd?.value}`);
  });

  test('NO_REFERENCE: loaded sensors, and references of a protein that does not bind → no flag', () => {
    const traces = [
      ...createReferences({ loading: 1 }),
      ...createDesign().map((each, i) => ({ ...each, loading: 1 - 0.15 * i })),
    ];
    const { plates, sequences } = analyzeAffinity([synthesize({ noiseSd: 0.002, traces })], DRIFT);
    assert.ok(!plates[0].flags.some(({ code }) => code === 'NO_REFERENCE'));
    assert.ok(!listCodes(sequences[0]).includes('NO_REFERENCE'));
  });
});

describe('a blank', () => {
  const withBlank = (heldM: number, change: Partial<SyntheticTrace> = {}): SyntheticTrace[] =>
    changeAt(4, { heldM }, createDesign(change));

  test('STEPS_UNUSABLE: a blank with analyte → not used; without references → failed_qc', () => {
    for (const heldM of [3e-7, 1e-7]) {
      const found = measureTraces([...createReferences(), ...withBlank(heldM)]);
      assert.deepEqual(
        [found.outcome, found.kd?.relation, listFaults(found)],
        ['measured', '=', ['STEPS_UNUSABLE']],
      );
      assert.equal(found.replicates[0].referenceRule, 'reference');
      assert.ok(computeRelativeError(found.kd?.value, KD_M) < 0.1, `${found.kd?.value}`);
      assert.equal(measureTraces(withBlank(heldM)).outcome, 'failed_qc');
    }
  });

  test('blank: one with analyte beside one without → the second is used', () => {
    const found = measureTraces([...createReferences(), ...withBlank(3e-7), createDesign()[4]]);
    assert.equal(found.replicates[0].referenceRule, 'double');
    assert.ok(computeRelativeError(found.kd?.value, KD_M) < 0.1, `${found.kd?.value}`);
  });

  test('blank: it drifts like the other sensors → used without a flag', () => {
    for (const kinetics of [{ kon: 1e5, koff: 3e-3 }, null]) {
      const found = measureTraces([...createReferences(), ...createDesign({ kinetics, driftPerS: 2e-4 })]);
      assert.deepEqual([found.replicates[0].referenceRule, listCodes(found)], ['double', []]);
    }
  });
});

test('TOO_FEW_CURVES: one concentration, measured often → KD is an estimate', () => {
  const traces = [...createReferences(), ...createDesign()].filter(({ concentrationM }) =>
    [1e-7, 0].includes(concentrationM ?? 0),
  );
  const found = measureTraces(traces, { settings: {} });
  assert.deepEqual([found.kd?.relation, listFaults(found)], ['~', ['TOO_FEW_CURVES']]);
});
