/**
 * Limits that the analysis misses today, with the cause. The test permits exactly these: a family that misses another
 * limit fails it, and so does one that keeps a limit again.
 */
import type { FamilyReport, Rate } from './judge/rates.ts';
import { computeLowerLimit } from './judge/statistics.ts';

export interface KnownMiss {
  readonly family: string;
  readonly rate: string;
  /** Share of runs when it was listed. */
  readonly share: number;
  readonly cause: string;
}

export const KNOWN_MISSES: readonly KnownMiss[] = [];

/** A limit is kept again once the lower end of the rate's interval is at most this part of it. */
const MARGIN = 0.5;

/** Whether so many trials show a rate of the listed share to be over its limit. */
function canShow({ share }: KnownMiss, { trials, limit }: Rate): boolean {
  return limit !== null && computeLowerLimit(Math.round(share * trials), trials) > limit;
}

/** Sentences about each limit that was missed without being listed, or listed without being missed. */
export function compareWithKnown(reports: readonly FamilyReport[], known = KNOWN_MISSES): string[] {
  return reports.flatMap(({ family, rates }) =>
    rates.flatMap((rate) => {
      const miss = known.find((one) => one.family === family && one.rate === rate.name);
      const seen = `${rate.count} of ${rate.trials}`;
      if (rate.hasFailed && miss === undefined)
        return [`${family} misses its limit of ${rate.name}: ${seen}; seeds ${rate.seeds.join(', ')}`];
      const isKept = rate.limit !== null && rate.lowerLimit <= MARGIN * rate.limit;
      if (miss !== undefined && isKept && canShow(miss, rate))
        return [`${family} keeps its limit of ${rate.name} again (${seen}): take it off the list`];
      return [];
    }),
  );
}

/** Entries that name no rate of these families, so that nothing stays on the list by a misspelling. */
export function findStaleEntries(reports: readonly FamilyReport[], known = KNOWN_MISSES): KnownMiss[] {
  return known.filter(
    ({ family, rate }) =>
      !reports.some((one) => one.family === family && one.rates.some(({ name }) => name === rate)),
  );
}
