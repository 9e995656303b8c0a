/** The summary row of affinity and of screening. */
import type { AffinityResult, ResultSummary } from '#features/results/contract.ts';

export function findBindingRow({
  rows,
}: {
  readonly rows: readonly ResultSummary[];
}): AffinityResult | undefined {
  return rows.find((row): row is AffinityResult => row.result_type === 'affinity');
}
