/** What a sequence without a response excludes, by affinity and by screening. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SequenceAffinity } from '../../affinity/engine/types.ts';
import type { SequenceScreening } from '../../screening/engine/types.ts';
import { analyzeAffinity, analyzeScreening } from '#testing/analysis/analyze.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import { createPlateControls, createSeries, synthesize } from '#testing/analysis/synthetic.ts';
import type { Kinetics, SyntheticTrace } from '#testing/analysis/synthetic.ts';
import type { BindingSettingsInput } from './settings.ts';

const NOISE_SD = 0.002;

interface Run {
  kinetics?: Kinetics | null;
  rmax?: number;
  loading?: number;
  concentrationsM?: number[];
  noiseSd?: number;
  associationS?: number;
  controls?: SyntheticTrace[];
  settings?: BindingSettingsInput;
  seed?: number;
}

const CONTROLS = createPlateControls();
const WITHOUT_POSITIVE = CONTROLS.filter(({ role }) => role !== 'positive_control');

function createFile({
  kinetics = null,
  rmax,
  loading,
  concentrationsM,
  noiseSd = NOISE_SD,
  associationS,
  controls = CONTROLS,
  seed,
}: Run) {
  const trace = { role: 'sample', sample: 'design', kinetics, rmax, loading, nonSpecific: 0.01 } as const;
  const traces = [...controls, ...createSeries(trace, concentrationsM)];
  return synthesize({ noiseSd, traces, associationS, seed });
}

function measure(run: Run = {}): SequenceAffinity {
  return analyzeAffinity([createFile(run)], { curves: false, ...run.settings }).sequences[0];
}

function screen(run: Run = {}): SequenceScreening {
  return analyzeScreening([createFile(run)], { curves: false, ...run.settings }).sequences[0];
}

test('kd_detectable_m: a non-binder beside a positive control → the KD at which half of its response is just found', () => {
  for (const found of [measure(), screen()]) {
    const { kdDetectableM, kdDetectableBasis: basis } = found;
    assert.deepEqual(
      [found.outcome, basis?.rmaxFrom, basis?.reason],
      ['non_binder', 'positive_control', null],
    );
    assert.ok(kdDetectableM !== null && basis !== null);
    assert.ok(Math.abs((basis.rmaxExpected ?? 0) - 0.5) < 0.02, `${basis.rmaxExpected}`);
    assert.deepEqual([basis.topConcentrationM, basis.associationS], [1e-6, 200]);
    // At a KD this weak every kon reaches equilibrium within the association.
    const response = ((basis.rmaxExpected ?? 0) * 1e-6) / (1e-6 + kdDetectableM);
    assert.ok(Math.abs(response / basis.responseMin - 1) < 0.01, `${kdDetectableM}`);
  }
});

test('kon_detectable_per_m_s: a non-binder → the kon at which the tightest binder just reaches the smallest response', () => {
  const { kdDetectableBasis: basis } = measure();
  assert.ok(basis !== null && basis.konDetectablePerMS !== null && basis.rmaxExpected !== null);
  const reached = -Math.expm1(-basis.konDetectablePerMS * basis.topConcentrationM * basis.associationS);
  assert.ok(Math.abs((basis.rmaxExpected * reached) / basis.responseMin - 1) < 1e-9);
  const longer = measure({ associationS: 400 }).kdDetectableBasis?.konDetectablePerMS;
  assert.ok((longer ?? Infinity) < 0.75 * basis.konDetectablePerMS, `${longer}`);
});

test('kon_detectable_per_m_s: no binder could be seen → null', () => {
  const { kdDetectableBasis: basis } = measure({ noiseSd: 0.5 });
  assert.equal(basis?.konDetectablePerMS, null);
});

test('kd_detectable_m: more noise, a lower top dose, less loading, a short association → a tighter KD', () => {
  const base = measure().kdDetectableM ?? 0;
  const runs: Record<string, Run> = {
    noise: { noiseSd: 4 * NOISE_SD },
    'top dose': { concentrationsM: [1e-7, 3e-8, 1e-8] },
    loading: { loading: 0.5 },
    association: { concentrationsM: [1e-7, 3e-8, 1e-8], associationS: 80 },
  };
  for (const [name, run] of Object.entries(runs)) {
    const found = measure(run);
    assert.ok(
      found.kdDetectableM !== null && found.kdDetectableM < 0.75 * base,
      `${name}: ${found.kdDetectableM}`,
    );
  }
});

test('kd_detectable_m: what it is taken from → the control, else the masses, else the loading', () => {
  const settings = { analyteMassDa: 3e4, ligandMassDa: { design: 3e4 } };
  const from = (run: Run): unknown[] => {
    const { kdDetectableBasis: basis } = measure(run);
    return [basis?.rmaxFrom, basis?.rmaxExpected?.toFixed(2)];
  };
  assert.deepEqual(from({ settings }), ['positive_control', '0.50']);
  assert.deepEqual(from({ settings, controls: WITHOUT_POSITIVE }), ['theory', '0.32']);
  assert.deepEqual(from({ controls: WITHOUT_POSITIVE }), ['loading', '0.11']);
});

describe('BINDING_NOT_EXCLUDED', () => {
  const isOpen = (found: SequenceAffinity | SequenceScreening): boolean => {
    const isTold = hasFlag(found.flags, 'BINDING_NOT_EXCLUDED');
    assert.equal(found.outcome, isTold ? 'inconclusive' : 'non_binder');
    assert.equal(found.kdDetectableBasis?.reason === null, !isTold);
    return isTold;
  };

  test('BINDING_NOT_EXCLUDED: no loading, no control and no masses → inconclusive; with loading → a non-binder', () => {
    const bare = ({ role }: SyntheticTrace): boolean => role === 'negative_control';
    const strip = (file: ReturnType<typeof createFile>): ReturnType<typeof createFile> => {
      const text = new TextDecoder().decode(file.bytes).replaceAll(/^T\d+,loading,.*\n/gm, '');
      return { ...file, bytes: new TextEncoder().encode(text) };
    };
    const file = createFile({ controls: CONTROLS.filter(bare) });
    const [stripped] = analyzeAffinity([strip(file)]).sequences;
    assert.equal(isOpen(stripped), true);
    assert.equal(stripped.kdDetectableM, null);
    assert.equal(isOpen(analyzeAffinity([file]).sequences[0]), false);
  });

  test('BINDING_NOT_EXCLUDED: the positive control does not bind either → inconclusive; it binds → a non-binder', () => {
    const dead = CONTROLS.map((each) =>
      each.role === 'positive_control' ? { ...each, kinetics: null } : each,
    );
    assert.equal(isOpen(measure({ controls: dead })), true);
    assert.equal(isOpen(screen({ controls: dead })), true);
    assert.equal(isOpen(measure()), false);
    assert.equal(isOpen(screen()), false);
  });

  test('BINDING_NOT_EXCLUDED: noise that hides a binder of the middle dose → inconclusive; less noise → a non-binder', () => {
    const weak = WITHOUT_POSITIVE;
    assert.equal(isOpen(measure({ controls: weak, noiseSd: 0.04 })), true);
    assert.equal(isOpen(measure({ controls: weak, noiseSd: 0.004 })), false);
  });
});

test('non_binder: 24 binders just tighter than what the run says that it would show → none is a non-binder', () => {
  for (let seed = 1; seed <= 24; seed += 1) {
    const run = { controls: WITHOUT_POSITIVE, noiseSd: 5e-4 * 10 ** ((seed % 5) / 5), seed };
    const { kdDetectableM, kdDetectableBasis } = measure(run);
    assert.ok(kdDetectableM !== null && kdDetectableBasis !== null, `${seed}`);
    const kon = 10 ** (4 + (seed % 4));
    const rmax = kdDetectableBasis.rmaxExpected ?? 0;
    const found = measure({ ...run, seed: 100 + seed, rmax, kinetics: { kon, koff: kon * kdDetectableM } });
    assert.notEqual(found.outcome, 'non_binder', `seed ${seed}, kon ${kon}`);
  }
});

test('BASELINE_JUMP: a screened sensor that jumps during association → inconclusive; one that binds → a binder', () => {
  const file = createFile({});
  const lines = new TextDecoder().decode(file.bytes).split('\n');
  const id = lines.find((line) => line.includes(',sample,design,1,0.000001'))?.split(',')[0];
  assert.ok(id !== undefined);
  const jumped = lines.map((line) => {
    const [trace, step, timeS, signal] = line.split(',');
    const isAfter =
      trace === id && (step === 'association' || step === 'dissociation') && Number(timeS) > 260;
    return isAfter ? [trace, step, timeS, Number(signal) + 0.1].join(',') : line;
  });
  const bytes = new TextEncoder().encode(jumped.join('\n'));
  const found = analyzeScreening([{ ...file, bytes }]).sequences[0];
  assert.deepEqual([found.outcome, hasFlag(found.flags, 'BASELINE_JUMP')], ['inconclusive', true]);
  const bound = screen({ kinetics: { kon: 1e5, koff: 1e-3 } });
  assert.deepEqual([bound.outcome, hasFlag(bound.flags, 'BASELINE_JUMP')], ['measured', false]);
});
