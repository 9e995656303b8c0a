/** How much of an order a result rests on, in words. */
interface Counts {
  readonly n_replicates_ordered: number;
  readonly n_replicates: number;
  readonly n_replicates_passed: number;
  readonly n_curves_planned: number | null;
  readonly n_curves: number | null;
}

/** `1 of 3 ordered replicates measured, 1 passed · 4 of 12 planned curves`. */
export function formatReplicates(counts: Counts): string {
  const { n_replicates_ordered: ordered, n_replicates: measured, n_replicates_passed: passed } = counts;
  const replicates =
    measured === ordered
      ? `${passed} of ${ordered} replicates passed`
      : `${measured} of ${ordered} ordered replicates measured, ${passed} passed`;
  const { n_curves_planned: planned, n_curves: curves } = counts;
  return planned === null || curves === null || curves >= planned
    ? replicates
    : `${replicates} · ${curves} of ${planned} planned curves`;
}

/** `1/3`: replicates that passed of those ordered, or of those measured where they are more. */
export function formatPassedOfOrdered({
  n_replicates_passed: passed,
  n_replicates_ordered: ordered,
  n_replicates: measured,
}: Pick<Counts, 'n_replicates_passed' | 'n_replicates_ordered' | 'n_replicates'>): string {
  return `${passed}/${Math.max(ordered, measured)}`;
}
