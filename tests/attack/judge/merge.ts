/** Joins slices of an attack to one table: a night of short runs counts as one long run. */
import type { Verdict } from './verdict.ts';

/** What `--json` writes beside the rates. */
export interface AttackSlice {
  readonly engine: string;
  readonly verdicts: Readonly<Record<string, readonly Verdict[]>>;
}

/**
 * Returns all verdicts by family, in the order of their seeds. Throws where the slices come from different engines, and
 * where two hold the same run, because it would count twice.
 */
export function mergeSlices(slices: readonly AttackSlice[]): Map<string, Verdict[]> {
  const engines = new Set(slices.map(({ engine }) => engine));
  if (engines.size > 1)
    throw new Error(`The slices come from engines ${[...engines].join(' and ')}; merge those of one engine.`);
  const merged = new Map<string, Verdict[]>();
  for (const [family, verdicts] of slices.flatMap((slice) => Object.entries(slice.verdicts))) {
    const known = merged.get(family) ?? [];
    const seeds = new Set(known.map(({ seed }) => seed));
    const twice = verdicts.find(({ seed }) => seeds.has(seed));
    if (twice !== undefined)
      throw new Error(`Two slices hold the run ${family}:${twice.seed}; leave one of them out.`);
    merged.set(family, [...known, ...verdicts]);
  }
  for (const verdicts of merged.values()) verdicts.sort((a, b) => a.seed - b.seed);
  return merged;
}
