/** Runs in which a few tight sites hide many weaker ones: an upper limit of KD from the tight ones alone would be wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getFamily } from './families/registry.ts';
import { examineRun, markVerdict } from './judge/verdict.ts';

/** Straight associations, curves that bend, and residuals above the noise. */
const SEEDS = [300053, 300183, 300370, 300538, 400142, 401121];

test('rate_beyond_limit: tight sites hide weaker ones → no upper limit below KD', () => {
  for (const seed of SEEDS)
    for (const verdict of examineRun(getFamily('two_sites'), seed)) {
      const marks = markVerdict(verdict);
      assert.ok(!marks.includes('limit_wrong'), `${seed}: ${JSON.stringify(verdict.reading)}`);
    }
});
