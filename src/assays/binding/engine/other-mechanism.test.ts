/** A mechanism that the curves do not exclude widens the interval of KD, and the result tells it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SequenceAffinity } from '../../affinity/engine/types.ts';
import { analyzeAffinity } from '#testing/analysis/analyze.ts';
import { hasFlag } from '#analysis/quality/flags.ts';
import type { BindingSettingsInput } from './settings.ts';
import { computeOneToOneResponse } from '#testing/analysis/noise.ts';
import { createShapedFile } from '#testing/analysis/shaped-plate.ts';

const DOSES_M = [3e-7, 1e-7, 3e-8, 1e-8, 3e-9];
const MAIN = { kon: 1e5, koff: 3e-3 };
const KD_M = 3e-8;
const SEEDS = [1, 3];
/** Drift of the sensors in analyte, in signal/s: upward at the higher doses, downward at the lower ones. */
const DRIFT_PER_S = 6e-5;

/** `part` of the sites have a tenth of the affinity of the others. */
function measure(
  part: number,
  noiseSd: number,
  seed: number,
  settings: BindingSettingsInput = {},
  driftPerS = 0,
): SequenceAffinity {
  const plate = createShapedFile({
    concentrationsM: DOSES_M,
    computeResponse: (curve) => {
      const weak = computeOneToOneResponse(curve, { kon: MAIN.kon / 3, koff: 3.3 * MAIN.koff });
      const slope = curve.concentrationM > KD_M ? driftPerS : -driftPerS;
      return computeOneToOneResponse(curve, MAIN).map(
        (value, i) => (1 - part) * value + part * weak[i] + slope * curve.timeS[i],
      );
    },
    noiseSd,
    seed,
    dissociationS: 600,
  });
  return analyzeAffinity([plate], { curves: false, ...settings }).sequences[0];
}

function computeWidth({ kd }: SequenceAffinity): number {
  assert.ok(kd !== null && kd.ci95Low !== null && kd.ci95High !== null);
  return Math.log(kd.ci95High / kd.ci95Low);
}

describe('OTHER_MECHANISM', () => {
  test('OTHER_MECHANISM: a quarter of weaker sites within the noise → told, measured, and the interval holds KD', () => {
    for (const seed of SEEDS) {
      const found = measure(0.25, 0.01, seed);
      const { kd, flags } = found;
      assert.ok(hasFlag(flags, 'OTHER_MECHANISM'), `${seed}: ${flags.map(({ code }) => code).join()}`);
      assert.equal(kd?.relation, '=');
      assert.ok((kd.ci95Low ?? 0) < KD_M && KD_M < (kd.ci95High ?? 0), JSON.stringify(kd));
      assert.ok(computeWidth(found) > computeWidth(measure(0.25, 0.01, seed, { model: '1:1' })));
    }
  });

  test('drift_in_doubt: a drift that nothing else shows beside a possible mechanism → KD is an estimate; the drift alone → measured', () => {
    const both = measure(0.25, 0.02, 1, {}, DRIFT_PER_S);
    assert.ok(hasFlag(both.flags, 'DRIFT_FITTED') && hasFlag(both.flags, 'OTHER_MECHANISM'));
    assert.equal(both.kd?.relation, '~');
    const alone = measure(0, 0.01, 1, {}, DRIFT_PER_S);
    assert.ok(hasFlag(alone.flags, 'DRIFT_FITTED') && !hasFlag(alone.flags, 'OTHER_MECHANISM'));
    assert.equal(alone.kd?.relation, '=');
  });

  test('OTHER_MECHANISM: the same curves with the model stated as 1:1 → not told', () => {
    for (const seed of SEEDS)
      assert.ok(!hasFlag(measure(0.25, 0.01, seed, { model: '1:1' }).flags, 'OTHER_MECHANISM'));
  });

  test('OTHER_MECHANISM: precise 1:1 curves → not told, and KD measured within 30 %', () => {
    for (const seed of SEEDS) {
      const found = measure(0, 0.002, seed);
      assert.ok(!hasFlag(found.flags, 'OTHER_MECHANISM'));
      assert.equal(found.kd?.relation, '=');
      assert.ok(computeWidth(found) < 2 * Math.log(1.3));
    }
  });
});

/** 1:1 binding of which 2.4 % (`koff` of 4e-5 per s) or 4.7 % (8e-5) dissociate while they are recorded. */
function measureSlow(koff: number, model: 'auto' | '1:1' = 'auto', dilution = 10): SequenceAffinity {
  const plate = createShapedFile({
    concentrationsM: DOSES_M.map((molar) => molar / dilution),
    computeResponse: (curve) => computeOneToOneResponse(curve, { kon: 5e5, koff }),
    noiseSd: 0.001,
    dissociationS: 600,
  });
  return analyzeAffinity([plate], { curves: false, model }).sequences[0];
}

describe('upper limits of KD', () => {
  test('rate_beyond_limit: another mechanism could put KD above its upper limit → a higher limit, and OTHER_MECHANISM names the lower one', () => {
    const { kd, koff, flags } = measureSlow(8e-5);
    assert.ok(hasFlag(flags, 'KOFF_BELOW_LIMIT'));
    assert.deepEqual([kd?.relation, koff?.relation], ['<', '<']);
    const plain = measureSlow(8e-5, '1:1').kd;
    assert.equal(plain?.relation, '<');
    assert.ok(kd !== null && kd.value >= plain.value, `${kd?.value}, ${plain.value}`);
  });

  test('rate_beyond_limit: association of the highest dose nears its end, or bends a little → the limit is stated, and holds', () => {
    for (const dilution of [10, 30]) {
      const { kd, flags } = measureSlow(4e-5, 'auto', dilution);
      assert.ok(hasFlag(flags, 'KOFF_BELOW_LIMIT'), flags.map(({ code }) => code).join());
      assert.equal(kd?.relation, '<', `${dilution}`);
      assert.ok(kd.value > 4e-5 / 5e5, `${dilution}: ${kd.value}`);
    }
  });

  test('limit_without_plateau: no association bends → no limit of KD, that of koff, and the reason', () => {
    const { outcome, kd, koff, flags } = measureSlow(4e-5, 'auto', 100);
    assert.deepEqual([outcome, kd, koff?.relation], ['measured', null, '<']);
    const told = flags.filter(({ code }) => code === 'POORLY_IDENTIFIED').map(({ message }) => message);
    assert.match(told.join(' '), /a few tight sites among many weak ones would look alike/);
  });
});
