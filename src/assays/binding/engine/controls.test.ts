/**
 * The controls of a plate of the binding assays: controls that fail the plate, and settings that name controls the
 * plate lacks.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AffinityAnalysis } from '../../affinity/engine/types.ts';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import type { BindingSettingsInput } from './settings.ts';
import {
  createPlateControls,
  createSeries,
  createUniforms,
  synthesize,
} from '#testing/analysis/synthetic.ts';
import type { SyntheticTrace } from '#testing/analysis/synthetic.ts';

const BINDER = { kon: 1e5, koff: 2e-3 };

function run(controls: SyntheticTrace[], settings: BindingSettingsInput = {}): AffinityAnalysis {
  const sample = createSeries({ role: 'sample', sample: 'design', kinetics: BINDER, nonSpecific: 0.01 });
  return analyzeAffinity([synthesize({ noiseSd: 0.0005, traces: [...controls, ...sample] })], settings);
}

/** Whether the plate fails because of its controls and its sequences are flagged. */
function hasFailed({ plates: [plate], sequences: [sequence] }: AffinityAnalysis): boolean {
  const flagged = [plate.flags, sequence.flags].map((flags) =>
    flags.some(({ code }) => code === 'CONTROL_FAILED'),
  );
  assert.equal(flagged[0], flagged[1]);
  assert.equal(plate.pass, !flagged[0]);
  return flagged[0] ?? false;
}

describe('reference sensors', () => {
  const NAME = 'design';
  const design = (change: Partial<SyntheticTrace> = {}): SyntheticTrace[] =>
    createSeries({ role: 'sample', sample: NAME, kinetics: BINDER, nonSpecific: 0.01, ...change });
  const references = (change: Partial<SyntheticTrace>): SyntheticTrace[] =>
    createPlateControls().map((each) => (each.role === 'reference' ? { ...each, ...change } : each));
  const analyzeJudged = (controls: SyntheticTrace[], sample = design(), dead?: RegExp): AffinityAnalysis => {
    const file = synthesize({ noiseSd: 0.0005, traces: [...controls, ...sample] });
    if (dead === undefined) return analyzeAffinity([file]);
    const text = new TextDecoder().decode(file.bytes).replaceAll(dead, '$1,0');
    return analyzeAffinity([{ ...file, bytes: new TextEncoder().encode(text) }]);
  };
  const outcome = ({ sequences: [sequence] }: AffinityAnalysis): string => sequence.outcome;

  test('CONTROL_FAILED: reference sensors with protein → a plate error, and no sample is not_expressed or non_binder', () => {
    const swapped = analyzeJudged(references({ loading: 1, kinetics: BINDER }));
    assert.equal(hasFailed(swapped), true);
    assert.equal(swapped.plates[0].flags.find(({ code }) => code === 'CONTROL_FAILED')?.severity, 'error');
    assert.equal(outcome(swapped), 'inconclusive');
    assert.equal(swapped.sequences[0].expression, 'expressed');
    const alone = references({ loading: 1 }).filter(({ role }) => role === 'reference');
    const untold = analyzeJudged(alone);
    assert.equal(hasFailed(untold), true);
    assert.equal(untold.sequences[0].expression, 'unknown');
    for (const loading of [0.27, 0.1]) assert.equal(hasFailed(analyzeJudged(references({ loading }))), false);
    assert.equal(hasFailed(analyzeJudged(references({ loading: 0.33 }))), true);
  });

  test('CONTROL_FAILED: reference sensors that bind → the plate fails, with and without negative controls', () => {
    const binding = references({ kinetics: BINDER });
    const stuck = analyzeJudged(binding, design({ kinetics: null }));
    assert.equal(hasFailed(stuck), true);
    assert.ok((stuck.plates[0].negativeControls.median ?? 0) < -0.5);
    assert.deepEqual(
      [outcome(stuck), stuck.sequences[0].replicates[0].binding],
      ['inconclusive', 'inconclusive'],
    );
    const few = binding.filter(({ role }) => role !== 'negative_control');
    assert.equal(hasFailed(analyzeJudged(few, design({ kinetics: null }))), true);
    assert.equal(outcome(analyzeJudged(createPlateControls(), design({ kinetics: null }))), 'non_binder');
  });

  test('reference sensors: a constant signal → left out with a message; a constant sensor of a sample → unusable', () => {
    const dead = analyzeJudged(createPlateControls(), design(), /^(T[1-5],[a-z]+,\d+),.*$/gm);
    assert.equal(hasFailed(dead), true);
    assert.match(dead.plates[0].flags.map(({ message }) => message).join(' '), /T1, T2, T3, T4 is constant/);
    assert.equal(dead.sequences[0].replicates[0].referenceRule, 'blank');
    assert.equal(dead.sequences[0].replicates[0].confidence, 'medium');
    const sensor = analyzeJudged(createPlateControls(), design(), /^(T27,[a-z]+,\d+),.*$/gm);
    assert.equal(hasFailed(sensor), false);
    const flag = sensor.sequences[0].flags.find(({ code }) => code === 'STEPS_UNUSABLE');
    assert.match(flag?.message ?? '', /T27 was left out. Its signal is constant/);
  });

  test('NSB: a non-binder on a sticky plate → raised where it could hide a response, and only there', () => {
    const isTold = (nonSpecific: number): boolean => {
      const found = analyzeJudged(createPlateControls(nonSpecific), design({ kinetics: null, nonSpecific }));
      assert.equal(outcome(found), 'non_binder');
      return found.sequences[0].flags.some(({ code }) => code === 'NSB');
    };
    assert.deepEqual([isTold(0.3), isTold(0.01)], [true, false]);
  });
});

describe('known value of the positive control', () => {
  const NAME = 'Cetuximab scFv';
  const KD = 2e-3 / 3e5;
  const SEEDS = [11, 12, 13, 14, 15, 16];

  /** A plate with a binder, a binder that barely dissociates, and a non-binder; `seed` draws noise and kinetics. */
  const analyzePlate = (
    seed: number,
    settings: BindingSettingsInput,
    control: Partial<SyntheticTrace> = {},
  ): AffinityAnalysis => {
    const uniform = createUniforms(seed);
    const kon = 10 ** (4.7 + 0.8 * uniform());
    const koff = 10 ** (-3 + 0.7 * uniform());
    const design = (sample: string, kinetics: SyntheticTrace['kinetics']): SyntheticTrace[] =>
      createSeries({ role: 'sample', sample, kinetics, nonSpecific: 0.01 });
    const controls = createPlateControls().map((each) =>
      each.role === 'positive_control' && each.concentrationM !== 0 ? { ...each, ...control } : each,
    );
    const traces = [
      ...controls,
      ...design('binder', { kon, koff }),
      ...design('slow', { kon, koff: 1e-5 }),
      ...design('none', null),
    ];
    return analyzeAffinity([synthesize({ noiseSd: 0.002, seed, traces })], settings);
  };
  const listRelations = ({ sequences }: AffinityAnalysis): unknown[] =>
    sequences.map(({ kd, outcome }) => kd?.relation ?? outcome);
  const countTold = ({ sequences }: AffinityAnalysis, code: string): number =>
    sequences.filter(({ flags }) => flags.some((flag) => flag.code === code)).length;

  test('CONTROL_FAILED: the control misses the value of the catalog tenfold → every value of its plate is an estimate, and its limits keep their sign and tell it', () => {
    for (const seed of SEEDS) {
      const missed = analyzePlate(seed, { targetControlKdM: seed % 2 === 0 ? KD / 10 : KD * 10 });
      const [binder, slow, none] = missed.sequences;
      assert.deepEqual([binder.kd?.relation, slow.kd?.relation], ['~', '<']);
      assert.deepEqual([binder.kon?.relation, slow.koff?.relation], ['~', '<']);
      assert.equal(slow.replicates[0].confidence, 'low');
      assert.equal(none.replicates[0].binding, 'inconclusive');
      assert.notEqual(none.outcome, 'non_binder');
      assert.equal(countTold(missed, 'CONTROL_FAILED'), 3);
      assert.equal(missed.plates[0].positiveControls[0].missed, true);
    }
  });

  test('CONTROL_FAILED: the control gives the value of the catalog within a factor of two → values stay firm', () => {
    const relations = SEEDS.map((seed) => {
      const kept = analyzePlate(seed, { targetControlKdM: seed % 2 === 0 ? KD / 2 : KD * 2 });
      assert.equal(countTold(kept, 'CONTROL_FAILED'), 0);
      assert.equal(kept.plates[0].pass, true);
      return listRelations(kept);
    });
    for (const [binder, slow, none] of relations)
      assert.deepEqual([binder, slow, none], ['=', '<', 'non_binder']);
  });

  test('control_kd_m: a setting for the control → it overrides the catalog', () => {
    const override = (own: number, ofCatalog: number): boolean =>
      analyzePlate(1, { controlKdM: { [NAME]: own }, targetControlKdM: ofCatalog }).plates[0].pass;
    assert.deepEqual([override(KD, KD / 30), override(KD / 30, KD)], [true, false]);
  });

  test('CONTROL_FAILED: a control that does not bind, without a known value → no value is firm; one with a bubble on every sensor → they stay', () => {
    const dead = analyzePlate(2, {}, { kinetics: null });
    assert.deepEqual(listRelations(dead).slice(0, 2), ['~', '<']);
    assert.equal(dead.sequences[2].replicates[0].binding, 'inconclusive');
    const unread = analyzePlate(2, {}, { spikeAt: 50 });
    assert.equal(countTold(unread, 'CONTROL_FAILED'), 3);
    assert.deepEqual(listRelations(unread).slice(0, 2), ['=', '<']);
  });

  test('CONTROL_MISSING, CONTROL_VALUE_UNKNOWN: a plate without a positive control, or without its known value → told as information', () => {
    const unknown = analyzePlate(3, {});
    assert.deepEqual(
      [countTold(unknown, 'CONTROL_VALUE_UNKNOWN'), countTold(unknown, 'CONTROL_MISSING')],
      [3, 0],
    );
    const without = run(createPlateControls().filter(({ role }) => role !== 'positive_control'));
    assert.deepEqual(
      [countTold(without, 'CONTROL_VALUE_UNKNOWN'), countTold(without, 'CONTROL_MISSING')],
      [0, 1],
    );
    assert.equal(without.sequences[0].kd?.relation, '=');
    assert.equal(without.plates[0].pass, true);
    const known = analyzePlate(3, { targetControlKdM: KD });
    assert.deepEqual(
      [countTold(known, 'CONTROL_VALUE_UNKNOWN'), countTold(known, 'CONTROL_MISSING')],
      [0, 0],
    );
    // The value of the catalog is that of one control: of two, nothing says whose it is.
    const two = createSeries({ role: 'positive_control', sample: 'Other', kinetics: BINDER });
    const both = run([...createPlateControls(), ...two], { targetControlKdM: 1e-12 });
    assert.equal(both.plates[0].pass, true);
    assert.equal(countTold(both, 'CONTROL_VALUE_UNKNOWN'), 1);
  });
});

describe('CONTROL_FAILED', () => {
  const control = (change: Partial<SyntheticTrace>): SyntheticTrace[] =>
    createPlateControls().map((each) => (each.role === 'positive_control' ? { ...each, ...change } : each));
  const NAME = 'Cetuximab scFv';
  const KD = 2e-3 / 3e5;
  const expecting = (controlKdM: number, change: Partial<SyntheticTrace> = {}): AffinityAnalysis =>
    run(control(change), { controlKdM: { [NAME]: controlKdM } });

  test('CONTROL_FAILED: KD beyond half a decade of the expected one in either direction → raised; within → not', () => {
    for (const sign of [1, -1]) {
      assert.equal(hasFailed(expecting(KD * 10 ** (0.53 * sign))), true);
      assert.equal(hasFailed(expecting(KD * 10 ** (0.47 * sign))), false);
    }
  });

  test('CONTROL_FAILED: the control has only a bound → raised where the bound excludes the expected KD', () => {
    const slow = { kinetics: { kon: 3e5, koff: 2e-5 } };
    const { kdM, pass } = expecting(2e-10, slow).plates[0].positiveControls[0];
    assert.ok(kdM !== null && kdM > 4e-10 && pass, `${kdM}`);
    assert.equal(expecting(1e-12, slow).plates[0].pass, true);
    assert.equal(hasFailed(expecting(4 * kdM, slow)), true);
  });

  test('CONTROL_FAILED: a positive control without binding, or over a quarter of negative controls with binding → raised', () => {
    assert.equal(hasFailed(run(control({ kinetics: null }))), true);
    const sticking = (n: number): AffinityAnalysis =>
      run(
        createPlateControls().map((each) => {
          const nth = Number(/^nc-(\d)$/.exec(each.sample)?.[1] ?? 99);
          return nth <= n ? { ...each, kinetics: BINDER } : each;
        }),
      );
    assert.equal(hasFailed(sticking(3)), true);
    assert.equal(hasFailed(sticking(2)), false);
  });

  /** Runs affinity with the given negative controls bound and a design whose response lies between theirs. */
  const analyzeHidden = (n: number, computeRmax: (nth: number) => number): AffinityAnalysis => {
    const controls = createPlateControls().map((each) => {
      const nth = Number(/^nc-(\d)$/.exec(each.sample)?.[1] ?? 99);
      return nth <= n ? { ...each, kinetics: BINDER, rmax: computeRmax(nth) } : each;
    });
    const sample = createSeries({
      role: 'sample',
      sample: 'design',
      kinetics: BINDER,
      rmax: 0.3,
      nonSpecific: 0.01,
    });
    return analyzeAffinity([synthesize({ noiseSd: 0.0005, traces: [...controls, ...sample] })]);
  };

  test('CONTROL_FAILED: negative controls that raise their own threshold → raised, and no binder becomes a non-binder', () => {
    const raised = analyzeHidden(5, (nth) => 0.1 + 0.1 * nth);
    assert.equal(hasFailed(raised), true);
    assert.ok((raised.plates[0].negativeControls.median ?? 0) > 0.1);
    const [replicate] = raised.sequences[0].replicates;
    assert.ok((replicate.response ?? 0) < (replicate.responseThreshold ?? 0));
    assert.deepEqual([replicate.outcome, replicate.binding], ['inconclusive', 'inconclusive']);
    assert.equal(raised.sequences[0].bindingStrength, null);
    // All have the same height, without any scatter.
    assert.equal(hasFailed(analyzeHidden(8, () => 0.5)), true);
  });

  test('CONTROL_FAILED: negative controls within ten times the noise threshold → not raised', () => {
    const faint = analyzeHidden(8, (nth) => 0.0015 * nth);
    assert.equal(hasFailed(faint), false);
    assert.equal(faint.sequences[0].binding, 'binder');
  });

  test('invalid settings: an expected KD for a name that is no positive control → refused with the known names', () => {
    const refusal = (name: string, controls = createPlateControls()): RegExp | string => {
      try {
        run(controls, { controlKdM: { [name]: KD } });
        return 'taken';
      } catch (error) {
        return error instanceof Error ? error.message : 'unknown';
      }
    };
    assert.equal(refusal(NAME), 'taken');
    assert.equal(
      refusal('Cetuximab'),
      'Setting control_kd_m names Cetuximab, which the files do not have; it has to name positive controls. The files have Cetuximab scFv.',
    );
    assert.match(String(refusal('design')), /names design, a sample in the files;/);
    assert.match(String(refusal('nc-1', [])), /The files have none\.$/);
  });
});
