/** A sample of the attack on wells: every limit holds, but for the misses that are known. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { analyzeRun } from '../analyze-run.ts';
import { runFamily, isMissed, type FamilyReport } from './attack-wells.ts';
import { OUTCOMES, type Limit, type OutcomeName } from './family.ts';
import { WELLS_FAMILIES } from './families.ts';
import { KNOWN_MISSES, type KnownMiss } from './known-misses.ts';
import { findLowerLimit, findUpperLimit, type Count } from './statistics.ts';

const RUNS = Number(process.env['ASSAYER_ATTACK_RUNS'] ?? '50');

describe('the attack on wells', () => {
  for (const family of WELLS_FAMILIES) {
    it(`${family.name}: ${RUNS} runs → limits hold but for known misses, which are as bad as listed`, () => {
      const report = runFamily(family, RUNS);
      const problems = OUTCOMES.flatMap((outcome) => {
        const limit = family.limits[outcome];
        const count = report.counts[outcome];
        return limit === undefined || count === undefined ? [] : findProblems(report, outcome, count, limit);
      });
      assert.deepEqual(problems, []);
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

  it('simulation: the first run of each clean family → read, with a value that is right', () => {
    for (const family of WELLS_FAMILIES.filter(({ name }) => name.startsWith('clean_'))) {
      const { run, truth } = family.simulate(1);
      const judged = family.judge(analyzeRun(run), truth);
      assert.equal(judged.refused, false, family.name);
      assert.equal(judged.kept, true, family.name);
    }
  });
});

function findProblems(report: FamilyReport, outcome: OutcomeName, count: Count, limit: Limit): string[] {
  const known = KNOWN_MISSES.find((each) => each.family === report.family && each.outcome === outcome);
  const seeds = (report.seeds[outcome] ?? []).slice(0, 5).join(', ');
  const found = `${outcome} ${count.hits} of ${count.of}`;
  if (known === undefined)
    return isMissed(count, limit) ? [`${found}: over the limit of ${limit.share}; seeds ${seeds}`] : [];
  if (isWorse(known, count, limit)) return [`${found}: worse than the known ${known.share}; seeds ${seeds}`];
  if (isMended(known, count, limit)) return [`${found}: better than the known ${known.share}; mend the list`];
  return [];
}

function isWorse({ share }: KnownMiss, count: Count, { side }: Limit): boolean {
  return isMissed(count, { share, side });
}

/** Whether at least half of the distance between the listed share and the limit, or zero, is beyond chance gone. */
function isMended({ share }: KnownMiss, count: Count, limit: Limit): boolean {
  if (limit.side === 'most') return findUpperLimit(count) < share / 2;
  return findLowerLimit(count) > (share + limit.share) / 2;
}
