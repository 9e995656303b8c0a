/** Figures that survive a noisy machine: medians, and ratios of measurements taken side by side. */
import { computeQuantile } from '#analysis/numerics/statistics.ts';

export function takeQuantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new Error('no values to take a quantile of');
  return computeQuantile(values, q);
}

export function computeMedian(values: readonly number[]): number {
  return takeQuantile(values, 0.5);
}

/** Each value over its partner of the same round. */
export function computeRatios(numerators: readonly number[], denominators: readonly number[]): number[] {
  if (numerators.length !== denominators.length) throw new Error('the measurements are not paired');
  return numerators.map((value, index) => value / (denominators[index] ?? Number.NaN));
}

export type Way = () => Promise<number>;

/**
 * Measures several ways of doing the same, round by round, so that each ratio compares neighbors in time. The order
 * turns with every round: none is always the one that runs on warm caches.
 */
export async function measureInterleaved<Name extends string>(
  rounds: number,
  ways: Readonly<Record<Name, Way>>,
): Promise<Record<Name, number[]>> {
  const entries: { readonly name: string; readonly way: Way; readonly figures: number[] }[] = [];
  for (const [name, way] of Object.entries<Way>(ways)) entries.push({ name, way, figures: [] });
  for (let round = 0; round < rounds; round += 1) {
    for (const index of entries.keys()) {
      const entry = entries[(index + round) % entries.length];
      if (entry !== undefined) entry.figures.push(await entry.way());
    }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of `ways`
  return Object.fromEntries(entries.map(({ name, figures }) => [name, figures])) as Record<Name, number[]>;
}
