import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { getRunRawFileMapping as operation } from './file-contract.ts';
import { selectSharedMappings } from './file-store.ts';
import { requireRun } from './stored-run.ts';

/** `GET /lab/runs/{run_id}/mapping`: what staff said by hand of the raw files of a stored run, in every version. */
export async function getRunRawFileMapping({ params }: Input<typeof operation>, { sql }: ReadContext) {
  const run = await requireRun(sql, params.run_id);
  const versions = await selectSharedMappings(sql, run.id);
  return {
    run_id: run.id,
    run_code: run.code,
    versions: versions.map((version) => ({ ...version, entries: [...version.entries] })),
  };
}
