/** Compares what an attack found with the limits of its family and the misses that are known. */
import { isMissed, type FamilyReport } from './attack-wells.ts';
import { OUTCOMES, type Limit, type Limits, type OutcomeName } from './family.ts';
import type { KnownMiss } from './known-misses.ts';
import { findLowerLimit, findUpperLimit, type Count } from './statistics.ts';

/** Lists limits that are missed and not known to be, and known misses that became worse or were mended. */
export function listProblems(
  report: Pick<FamilyReport, 'family' | 'counts' | 'seeds'>,
  limits: Limits,
  known: readonly KnownMiss[],
): string[] {
  return OUTCOMES.flatMap((outcome) => {
    const limit = limits[outcome];
    const count = report.counts[outcome];
    if (limit === undefined || count === undefined) return [];
    const listed = known.find((each) => each.family === report.family && each.outcome === outcome);
    const problem = describeProblem(count, limit, listed);
    return problem === null
      ? []
      : `${outcome} ${count.hits} of ${count.of}: ${problem}${formatSeeds(report, outcome)}`;
  });
}

function describeProblem(count: Count, limit: Limit, known: KnownMiss | undefined): string | null {
  if (known === undefined) return isMissed(count, limit) ? `beyond the limit of ${limit.share}` : null;
  if (isWorse(known, count, limit)) return `worse than the known ${known.share}`;
  return isMended(known, count, limit) ? `better than the known ${known.share}, mend the list` : null;
}

/** Half as much again is beyond what so few runs do by chance among so many limits. */
const WORSE_BY = 1.5;

function isWorse({ share }: KnownMiss, count: Count, { side }: Limit): boolean {
  return isMissed(count, { share: side === 'most' ? share * WORSE_BY : share / WORSE_BY, side });
}

/** Whether at least half of the distance from the listed share to what is wanted is gone beyond chance. */
function isMended({ share }: KnownMiss, count: Count, limit: Limit): boolean {
  if (limit.side === 'most') return findUpperLimit(count) < share / 2;
  return findLowerLimit(count) > (share + limit.share) / 2;
}

const SEEDS_SHOWN = 5;

function formatSeeds({ seeds }: Pick<FamilyReport, 'seeds'>, outcome: OutcomeName): string {
  const shown = (seeds[outcome] ?? []).slice(0, SEEDS_SHOWN);
  return shown.length === 0 ? '' : `; seeds ${shown.join(', ')}`;
}
