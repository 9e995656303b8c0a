/**
 * Empty wells, bare sensors and swapped positions of a dose series, from files: they are detected and never reported
 * as no binding.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SequenceAffinity } from '../affinity/types.ts';
import { analyzeAffinity, analyzeScreening } from '#testing/analysis/analyze.ts';
import type { BindingSettingsInput } from './settings.ts';
import { SERIES_M, plateControls, relative, series, synthesize } from '#testing/analysis/synthetic.ts';
import type { SyntheticTrace } from '#testing/analysis/synthetic.ts';

const DOSES_M = [3e-7, 1e-7, 3e-8, 1e-8];
const KD_M = 3e-8;
const DRIFT = { drift: true };
const EMPTY = { heldM: 0 };
const BARE = { loading: 0, kinetics: null };

function design(change: Partial<SyntheticTrace> = {}): SyntheticTrace[] {
  const kinetics = { kon: 1e5, koff: 3e-3 };
  return series({ role: 'sample', sample: 'design', kinetics, ...change }, DOSES_M);
}

function at(index: number, change: Partial<SyntheticTrace>, traces = design()): SyntheticTrace[] {
  return traces.map((each, i) => (i === index ? { ...each, ...change } : each));
}

function references(change: Partial<SyntheticTrace> = {}): SyntheticTrace[] {
  return series({ role: 'reference', sample: '', loading: 0, ...change }, DOSES_M);
}

function measured(
  traces: SyntheticTrace[],
  { settings = DRIFT, seed = 1 }: { settings?: BindingSettingsInput; seed?: number } = {},
): SequenceAffinity {
  const file = synthesize({ noiseSd: 0.002, seed, traces });
  return analyzeAffinity([file], { curves: false, ...settings }).sequences[0];
}

function codesOf(sequence: { flags: readonly { code: string; severity: string }[] }): string[] {
  return sequence.flags.filter(({ severity }) => severity !== 'info').map(({ code }) => code);
}

describe('the highest dose', () => {
  test('NON_MONOTONIC_DOSE: an empty well at the highest dose, with and without drift → failed_qc', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      for (const settings of [{}, DRIFT]) {
        const found = measured([...references(), ...at(0, EMPTY)], { settings, seed });
        assert.deepEqual([found.outcome, found.kd, found.bindingScore], ['failed_qc', null, null]);
        const error = found.flags.find(({ code }) => code === 'NON_MONOTONIC_DOSE');
        assert.equal(error?.severity, 'error');
      }
    }
  });

  test('NON_MONOTONIC_DOSE: the highest dose far below a lower one, a little below, or saturated → failed_qc, estimate, measured', () => {
    const reversed = design().map((each, i) => (i < 4 ? { ...each, heldM: DOSES_M[3 - i] } : each));
    assert.equal(measured([...references(), ...reversed]).outcome, 'failed_qc');
    const swapped = at(1, { heldM: DOSES_M[0] }, at(0, { heldM: DOSES_M[1] }));
    const found = measured([...references(), ...swapped]);
    assert.deepEqual([found.outcome, found.kd?.relation, found.kon?.relation], ['measured', '~', '~']);
    assert.deepEqual(
      found.replicates.map(({ confidence }) => confidence),
      ['low'],
    );
    const lower = measured([
      ...references(),
      ...at(0, { rmax: 0.93 }, design({ kinetics: { kon: 1e6, koff: 3e-3 } })),
    ]);
    assert.equal(lower.kd?.relation, '=');
  });

  test('non_binder: a sequence without binding at any noise → non_binder without flags', () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const found = measured([...references(), ...design({ kinetics: null })], { seed });
      assert.deepEqual([found.outcome, found.binding, codesOf(found)], ['non_binder', 'non_binder', []]);
    }
  });

  test('screening: an empty well, or a sensor without protein → failed_qc, or NOT_LOADED', () => {
    const screened = (change: Partial<SyntheticTrace>) => {
      const kinetics = { kon: 1e5, koff: 3e-3 };
      const two = series({ role: 'sample', sample: 'design', kinetics }, SERIES_M.slice(0, 2));
      const file = synthesize({ noiseSd: 0.002, traces: [...plateControls(0), ...at(0, change, two)] });
      return analyzeScreening([file]).sequences[0];
    };
    assert.deepEqual([screened({}).outcome, screened({}).binding], ['measured', 'binder']);
    assert.deepEqual([screened(EMPTY).outcome, screened(EMPTY).binding], ['failed_qc', 'unknown']);
    assert.deepEqual([screened(EMPTY).response, screened(EMPTY).bindingScore], [null, null]);
    assert.deepEqual([screened(BARE).binding, codesOf(screened(BARE))], ['binder', ['NOT_LOADED']]);
  });
});

describe('a sensor without protein', () => {
  test('NOT_LOADED: a sensor without protein at any dose → left out with the flag, KD stays right', () => {
    for (const index of [0, 2]) {
      const found = measured([...references(), ...at(index, BARE)]);
      assert.deepEqual([found.outcome, found.kd?.relation], ['measured', '=']);
      assert.ok(relative(found.kd?.value, KD_M) < 0.1, `${found.kd?.value}`);
      assert.deepEqual(codesOf(found), ['NOT_LOADED']);
    }
  });

  test('NO_REFERENCE: a sensor without protein changed places with a reference → a warning, and KD stays right', () => {
    const loaded = { loading: 1, kinetics: { kon: 1e5, koff: 3e-3 } };
    const traces = [...at(0, loaded, references()), ...at(0, BARE), ...design({ sample: 'other' })];
    const { plates, sequences } = analyzeAffinity([synthesize({ noiseSd: 0.002, traces })], DRIFT);
    assert.ok(
      plates[0].flags.some(({ code, severity }) => code === 'NO_REFERENCE' && severity === 'warning'),
    );
    for (const { kd } of sequences) assert.ok(relative(kd?.value, KD_M) < 0.1, `${kd?.value}`);
  });

  test('NO_REFERENCE: loaded sensors, and references of a protein that does not bind → no flag', () => {
    const traces = [
      ...references({ loading: 1 }),
      ...design().map((each, i) => ({ ...each, loading: 1 - 0.15 * i })),
    ];
    const { plates, sequences } = analyzeAffinity([synthesize({ noiseSd: 0.002, traces })], DRIFT);
    assert.ok(!plates[0].flags.some(({ code }) => code === 'NO_REFERENCE'));
    assert.ok(!codesOf(sequences[0]).includes('NO_REFERENCE'));
  });
});

describe('a blank', () => {
  const withBlank = (heldM: number, change: Partial<SyntheticTrace> = {}): SyntheticTrace[] =>
    at(4, { heldM }, design(change));

  test('STEPS_UNUSABLE: a blank with analyte → not used; without references → failed_qc', () => {
    for (const heldM of [3e-7, 1e-7]) {
      const found = measured([...references(), ...withBlank(heldM)]);
      assert.deepEqual(
        [found.outcome, found.kd?.relation, codesOf(found)],
        ['measured', '=', ['STEPS_UNUSABLE']],
      );
      assert.equal(found.replicates[0].referenceRule, 'reference');
      assert.ok(relative(found.kd?.value, KD_M) < 0.1, `${found.kd?.value}`);
      assert.equal(measured(withBlank(heldM)).outcome, 'failed_qc');
    }
  });

  test('blank: one with analyte beside one without → the second is used', () => {
    const found = measured([...references(), ...withBlank(3e-7), design()[4]]);
    assert.equal(found.replicates[0].referenceRule, 'double');
    assert.ok(relative(found.kd?.value, KD_M) < 0.1, `${found.kd?.value}`);
  });

  test('blank: it drifts like the other sensors → used without a flag', () => {
    for (const kinetics of [{ kon: 1e5, koff: 3e-3 }, null]) {
      const found = measured([...references(), ...design({ kinetics, driftPerS: 2e-4 })]);
      assert.deepEqual([found.replicates[0].referenceRule, codesOf(found)], ['double', []]);
    }
  });
});

test('TOO_FEW_CURVES: one concentration, measured often → KD is an estimate', () => {
  const traces = [...references(), ...design()].filter(({ concentrationM }) =>
    [1e-7, 0].includes(concentrationM ?? 0),
  );
  const found = measured(traces, { settings: {} });
  assert.deepEqual([found.kd?.relation, codesOf(found)], ['~', ['TOO_FEW_CURVES']]);
});
