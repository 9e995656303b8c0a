/**
 * The controls of a plate of the binding assays: controls that fail the plate, and settings that name controls the
 * plate lacks.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AffinityAnalysis } from '../affinity/types.ts';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import type { BindingSettingsInput } from './settings.ts';
import { createPlateControls, createSeries, synthesize } from '#testing/analysis/synthetic.ts';
import type { SyntheticTrace } from '#testing/analysis/synthetic.ts';

const BINDER = { kon: 1e5, koff: 2e-3 };

function run(controls: SyntheticTrace[], settings: BindingSettingsInput = {}): AffinityAnalysis {
  const sample = createSeries({ role: 'sample', sample: 'design', kinetics: BINDER, nonSpecific: 0.01 });
  return analyzeAffinity([synthesize({ noiseSd: 0.0005, traces: [...controls, ...sample] })], settings);
}

/** Whether the plate fails because of its controls and its sequences are flagged. */
function hasFailed({ plates: [plate], sequences: [sequence] }: AffinityAnalysis): boolean {
  const told = [plate.flags, sequence.flags].map((flags) =>
    flags.some(({ code }) => code === 'CONTROL_FAILED'),
  );
  assert.equal(told[0], told[1]);
  assert.equal(plate.pass, !told[0]);
  return told[0] ?? false;
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
    const told = sensor.sequences[0].flags.find(({ code }) => code === 'STEPS_UNUSABLE');
    assert.match(told?.message ?? '', /T27 was left out. Its signal is constant/);
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
