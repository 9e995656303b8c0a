/** The unit in which the responses of replicates are given. */
import type { ResultInfo } from '#features/results/contract.ts';
import { findBindingRow } from './row.ts';
import { findSignalUnit } from '#features/results/package/packaged.ts';

/** A screening states it, because it may divide by the loading; the others have the unit of their signal. */
export function findResponseUnit({
  rows,
  analysis,
}: Pick<ResultInfo, 'rows'> & Partial<Pick<ResultInfo, 'analysis'>>): string | undefined {
  const stated = findBindingRow({ rows })?.response_unit;
  if (typeof stated === 'string') return stated;
  return analysis === undefined ? undefined : findSignalUnit({ analysis });
}
