/** The summary row of affinity and of screening. */
import type { AffinityResult, ResultSummary, ResultInfo } from '#features/results/contract.ts';
import { findSignalUnit } from '#features/results/package/packaged.ts';

export function findBindingRow({
  rows,
}: {
  readonly rows: readonly ResultSummary[];
}): AffinityResult | undefined {
  return rows.find((row): row is AffinityResult => row.result_type === 'affinity');
}

/**
 * Returns the unit in which the responses of replicates are given. A screening states it, because it may divide by the
 * loading; the others have the unit of their signal.
 */
export function findResponseUnit({
  rows,
  analysis,
}: Pick<ResultInfo, 'rows'> & Partial<Pick<ResultInfo, 'analysis'>>): string | undefined {
  const stated = findBindingRow({ rows })?.response_unit;
  if (typeof stated === 'string') return stated;
  return analysis === undefined ? undefined : findSignalUnit({ analysis });
}
