/** Two transitions whose sum looks like one: resolved if possible, else flagged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasFlag } from '#analysis/quality/flags.ts';
import { createMeltSet, createMeltTrace } from '#testing/analysis/melts.ts';
import { analyzeMeltingSets } from './melting.ts';
import type { SequenceMelting } from './types.ts';

const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1);

function analyzeSum(
  tmsC: readonly number[],
  dhKcalPerMol: number,
  seed: number,
  noiseSd = 0.002,
): SequenceMelting {
  const transitions = tmsC.map((tmC) => ({ tmC, dhKcalPerMol, amplitude: 0.3 / tmsC.length }));
  const trace = createMeltTrace({ well: 'A1', transitions, noiseSd, offset: 0.8, seed });
  return analyzeMeltingSets([createMeltSet([trace])]).sequences[0];
}

for (const [tmsC, dhKcalPerMol] of [
  [[60, 65], 200],
  [[60, 67], 150],
  [[58, 66], 120],
] as const)
  test(`SEVERAL_TRANSITIONS: ${tmsC.join(' and ')} °C, ${dhKcalPerMol} kcal/mol, further apart than their width → both are reported`, () => {
    for (const seed of SEEDS) {
      const { tmAll, flags } = analyzeSum(tmsC, dhKcalPerMol, seed);
      assert.equal(tmAll.length, 2, `seed ${seed}: ${tmAll[0]?.tmC}`);
      assert.ok(
        tmAll.every(({ tmC }, k) => Math.abs(tmC - tmsC[k]) < 0.5),
        `seed ${seed}`,
      );
      assert.ok(hasFlag(flags, 'SEVERAL_TRANSITIONS'));
    }
  });

for (const [tmsC, dhKcalPerMol] of [
  [[60, 65], 120],
  [[60, 63], 200],
] as const)
  test(`TM_UNCERTAIN: ${tmsC.join(' and ')} °C, ${dhKcalPerMol} kcal/mol, closer than their width → an estimate of the first, both of them, no ΔH and onset`, () => {
    for (const seed of SEEDS) {
      const { tm, tmAll, dh, tonset, flags, replicates } = analyzeSum(tmsC, dhKcalPerMol, seed, 0.001);
      assert.ok(hasFlag(flags, 'TM_UNCERTAIN'), `seed ${seed}`);
      assert.deepEqual([tmAll.length, tmAll[0].dhKcalPerMol, dh, tonset], [2, null, null, null]);
      assert.equal(replicates[0].confidence, 'medium');
      assert.equal(tm?.relation, '~');
      assert.ok(
        tmAll.every(({ tmC }, k) => Math.abs(tmC - tmsC[k]) < 1.5),
        `seed ${seed}: ${tmAll.map(({ tmC }) => tmC).join(', ')}`,
      );
      assert.ok((tm?.ci95Low ?? 99) < tmsC[0] && (tm?.ci95High ?? 0) > tmsC[0], `seed ${seed}`);
    }
  });

test('TM_UNCERTAIN: one transition, steep or wide → not raised', () => {
  for (const seed of SEEDS)
    for (const dhKcalPerMol of [80, 100, 200, 350]) {
      const { tmAll, dh, flags } = analyzeSum([60], dhKcalPerMol, seed);
      assert.deepEqual(
        [tmAll.length, dh === null, flags.length],
        [1, false, 0],
        `${dhKcalPerMol}, seed ${seed}`,
      );
    }
});
