/** Replicates of a weak signal are fitted together; clear ones, and those that are not alike, are not. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMeltSet, createMeltTrace } from '#testing/analysis/melts.ts';
import type { MeltTruth } from '#testing/analysis/melts.ts';
import { analyzeMeltingSets } from './melting.ts';
import type { ThermostabilityAnalysis } from './types.ts';

const TM_C = 58;
const WEAK = 0.06;
const CLEAR = 0.003;

/** Wells of one sample, each with its Tm and noise of its own. */
function analyzeWells(
  tmsC: readonly number[],
  noiseSd: number,
  firstSeed = 1,
  change: Partial<MeltTruth> = {},
) {
  const traces = tmsC.map((tmC, k) =>
    createMeltTrace({
      well: `A${k + 1}`,
      sample: 'a',
      replicate: k + 1,
      transitions: [{ tmC, dhKcalPerMol: 140, amplitude: 0.3 }],
      stepC: 0.5,
      noiseSd,
      seed: firstSeed + k,
      ...change,
    }),
  );
  return analyzeMeltingSets([createMeltSet(traces)]);
}

const isJoint = ({ sequences: [{ replicates }] }: ThermostabilityAnalysis): boolean =>
  replicates.every(({ joint }) => joint !== null);

describe('common fit of replicates', () => {
  test('replicates of a weak signal: alike → one Tm and one ΔH of all of them, said in a notice', () => {
    const found = analyzeWells([TM_C, TM_C, TM_C], WEAK);
    const [{ tm, dh, tmAll, replicates }] = found.sequences;
    assert.ok(isJoint(found));
    assert.equal(tm?.relation, '=');
    assert.equal(tm?.n, 3);
    assert.equal(tm?.value, replicates[0].joint?.tmC);
    assert.equal(dh?.value, replicates[0].joint?.width);
    assert.deepEqual(
      tmAll.map(({ tmC }) => tmC),
      [tm?.value],
    );
    assert.ok(Math.abs((tm?.value ?? 0) - TM_C) < 1, JSON.stringify(tm));
    assert.ok((tm?.ci95Low ?? 99) <= TM_C && TM_C <= (tm?.ci95High ?? 0), JSON.stringify(tm));
    assert.ok(found.notices.some((text) => text.startsWith('The signal is weak')));
  });

  test('replicates of a weak signal: the interval of the common Tm over many plates → holds Tm in at least 90 %', () => {
    const plates = 40;
    let held = 0;
    for (let k = 0; k < plates; k += 1) {
      const joint = analyzeWells([TM_C, TM_C], WEAK, 100 + 2 * k).sequences[0].replicates[0].joint;
      if (joint === null || Math.abs(joint.tmC - TM_C) <= 1.96 * joint.seTmC) held += 1;
    }
    assert.ok(held >= 0.9 * plates, `${held} of ${plates}`);
  });

  test('replicates of a clear signal: alike → each by itself, and the mean of their Tm', () => {
    const found = analyzeWells([TM_C, TM_C + 0.1, TM_C - 0.1], CLEAR);
    const [{ tm, replicates }] = found.sequences;
    const values = replicates.flatMap((each) => each.tm?.value ?? []);
    assert.ok(!isJoint(found));
    assert.ok(Math.abs((tm?.value ?? 0) - values.reduce((sum, value) => sum + value, 0) / 3) < 1e-9);
    assert.ok(!found.notices.some((text) => text.startsWith('The signal is weak')));
  });

  test('replicates of a weak signal: 12 °C apart → not fitted together, and told to disagree', () => {
    const found = analyzeWells([TM_C - 6, TM_C + 6], WEAK);
    assert.ok(!isJoint(found));
    assert.ok(found.sequences[0].flags.some(({ code }) => code === 'REPLICATES_DISAGREE'));
  });

  test('replicates of noise alone: three wells → no common transition', () => {
    const found = analyzeWells([TM_C, TM_C, TM_C], WEAK, 1, { transitions: [] });
    assert.ok(!isJoint(found));
    assert.equal(found.sequences[0].tm, null);
  });

  test('a single well: a weak signal → weighed with what proteins show, and its interval holds Tm in at least 90 %', () => {
    const plates = 30;
    let held = 0;
    for (let k = 0; k < plates; k += 1) {
      const found = analyzeWells([TM_C], WEAK, 300 + k);
      const { tm } = found.sequences[0];
      assert.ok(tm === null || isJoint(found), `seed ${300 + k}`);
      if (tm === null || ((tm.ci95Low ?? 99) <= TM_C && TM_C <= (tm.ci95High ?? 0))) held += 1;
    }
    assert.ok(held >= 0.9 * plates, `${held} of ${plates}`);
  });

  test('a single well: a clear signal → by itself', () => {
    assert.ok(!isJoint(analyzeWells([TM_C], CLEAR)));
  });
});
