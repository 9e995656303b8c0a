/** The summary row of affinity and of screening. */
import type { AffinityResult, ResultSummary } from '#domain/results/contract.ts';

export function findBindingRow({
  summary,
}: {
  readonly summary: readonly ResultSummary[];
}): AffinityResult | undefined {
  return summary.find((row): row is AffinityResult => row.result_type === 'affinity');
}
