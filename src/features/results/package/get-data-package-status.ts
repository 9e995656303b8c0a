import type { ReadContext } from '#core/context.ts';
import type { Input, Output } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { getDataPackageStatus as operation } from './contract.ts';
import { findPackage } from './store.ts';
import { requireVersion } from './await-package.ts';

/** `GET /experiments/{experiment_id}/data-package/status`. */
export async function getDataPackageStatus(
  input: Input<typeof operation>,
  { principal, site, sql }: ReadContext,
): Promise<Output<typeof operation>> {
  const scope = getScope(principal);
  const { version } = await requireVersion(sql, site, scope, input.params.experiment_id);
  const row = await findPackage(scope, sql, version);
  if (row === undefined)
    return {
      status: 'not_made',
      results_done: 0,
      results_total: version.resultsTotal,
      size_bytes: null,
      sha256: null,
    };
  const { results_done, results_total, size_bytes, sha256 } = row;
  const status = sha256 !== null ? 'ready' : row.failed_at !== null ? 'failed' : 'being_made';
  return { status, results_done, results_total, size_bytes, sha256 };
}
