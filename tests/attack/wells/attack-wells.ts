/** Runs families against the analysis and counts what happened. */
import { analyzeRun, type AttackResult } from '../analyze-run.ts';
import { OUTCOMES, type Judgment, type Limit, type OutcomeName, type WellsFamily } from './family.ts';
import { findLowerLimit, findUpperLimit, type Count } from './statistics.ts';

export interface FamilyReport {
  readonly family: string;
  readonly runs: number;
  readonly counts: Partial<Readonly<Record<OutcomeName, Count>>>;
  /** Outcomes whose limit is missed beyond chance. */
  readonly failed: readonly OutcomeName[];
  /** Seeds of every outcome that should not have happened. */
  readonly seeds: Partial<Readonly<Record<OutcomeName, readonly number[]>>>;
  readonly cpuS: number;
}

/** Analyzes a simulated run; a refusal of the service is an answer too. */
export function analyzeOrRefuse(run: Parameters<typeof analyzeRun>[0]): AttackResult | Error {
  try {
    return analyzeRun(run);
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

export function runFamily(family: WellsFamily, runs: number, firstSeed = 1): FamilyReport {
  const began = process.cpuUsage();
  const judgments: { seed: number; judgment: Judgment }[] = [];
  for (let seed = firstSeed; seed < firstSeed + runs; seed += 1) {
    const { run, truth } = family.simulate(seed);
    judgments.push({ seed, judgment: family.judge(analyzeOrRefuse(run), truth) });
  }
  const counts: Partial<Record<OutcomeName, Count>> = {};
  const seeds: Partial<Record<OutcomeName, number[]>> = {};
  for (const name of OUTCOMES) {
    const possible = judgments.filter(({ judgment }) => judgment[name] !== undefined);
    if (possible.length === 0) continue;
    const happened = possible.filter(({ judgment }) => judgment[name] === true);
    counts[name] = { hits: happened.length, of: possible.length };
    const isWanted = name === 'kept' || name === 'all_found';
    seeds[name] = (isWanted ? possible.filter((each) => !happened.includes(each)) : happened).map(
      ({ seed }) => seed,
    );
  }
  const failed = OUTCOMES.filter((name) => {
    const limit = family.limits[name];
    const count = counts[name];
    return limit !== undefined && count !== undefined && isMissed(count, limit);
  });
  const { user, system } = process.cpuUsage(began);
  return { family: family.name, runs, counts, failed, seeds, cpuS: (user + system) / 1e6 };
}

/** Whether the share is on the wrong side of its limit beyond chance. */
export function isMissed(count: Count, { share, side }: Limit): boolean {
  return side === 'most' ? findLowerLimit(count) > share : findUpperLimit(count) < share;
}
