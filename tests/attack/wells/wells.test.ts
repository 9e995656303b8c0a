/** A sample of the attack on wells: every limit holds, but for the misses that are known. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { analyzeRun } from '../analyze-run.ts';
import { runFamily } from './attack-wells.ts';
import { listProblems } from './compare-known.ts';
import { WELLS_FAMILIES } from './families.ts';
import { KNOWN_MISSES } from './known-misses.ts';

const RUNS = Number(process.env['ASSAYER_ATTACK_RUNS'] ?? '10');
/** A seed from which so few runs miss no more limits than many do. */
const FIRST_SEED = 101;

describe('the attack on wells', () => {
  for (const family of WELLS_FAMILIES) {
    it(`${family.name}: ${RUNS} runs from seed ${FIRST_SEED} → limits hold but for known misses, which are as bad as listed`, () => {
      assert.deepEqual(listProblems(runFamily(family, RUNS, FIRST_SEED), family.limits, KNOWN_MISSES), []);
    });
  }

  it('known misses: each → of a limit that its family has, listed once', () => {
    const keys = KNOWN_MISSES.map(({ family, outcome }) => `${family} ${outcome}`);
    assert.equal(new Set(keys).size, keys.length);
    for (const { family, outcome } of KNOWN_MISSES) {
      const limits = WELLS_FAMILIES.find(({ name }) => name === family)?.limits;
      assert.ok(limits?.[outcome], `${family} has no limit of ${outcome}`);
    }
  });

  it('simulation: a seed again → the same files, another seed → others', () => {
    for (const family of WELLS_FAMILIES) {
      const first = family.simulate(1);
      assert.deepEqual(family.simulate(1), first);
      assert.notDeepEqual(family.simulate(2), first);
    }
  });

  it('simulation: the first runs of each clean family → read, most with a value that is right', () => {
    for (const family of WELLS_FAMILIES.filter(({ name }) => name.startsWith('clean_'))) {
      const judged = [1, 2, 3].map((seed) => {
        const { run, truth } = family.simulate(seed);
        return family.judge(analyzeRun(run), truth);
      });
      assert.ok(
        judged.every(({ refused }) => refused === false),
        family.name,
      );
      assert.ok(judged.filter(({ kept }) => kept === true).length >= 2, family.name);
    }
  });
});
