import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { listRunRawFiles as operation } from './file-contract.ts';
import { selectEarlierSharedVersions, selectSharedFiles } from './file-store.ts';
import { labScope } from '#core/scope.ts';
import { selectRunExperiments } from './store.ts';
import { buildFileInfo } from './raw-files/run-info.ts';
import { findOpenExperiments } from './shared-run.ts';
import { requireRun } from './stored-run.ts';

/**
 * `GET /lab/runs/{run_id}/raw-files`: the raw files of a stored run with their parsed content, and the samples without data.
 */
export async function listRunRawFiles({ params }: Input<typeof operation>, { sql }: ReadContext) {
  const run = await requireRun(sql, params.run_id);
  const rows = await selectSharedFiles(sql, run.id);
  const earlier = await selectEarlierSharedVersions(sql, run.id);
  const samples = run.plan.plates.flatMap(({ wells }) =>
    wells.filter(({ experiment_id: id }) => id !== null).map(({ sample }) => sample),
  );
  const names = new Set(samples);
  const files = rows.map((row) => buildFileInfo(row, names, earlier));
  const { recording, stopped } = await findOpenExperiments(
    sql,
    await selectRunExperiments(labScope, sql, run.id),
  );
  const matchedNames = new Set(files.flatMap(({ understood }) => understood?.matched_sequences ?? []));
  return {
    run_id: run.id,
    run_code: run.code,
    files,
    samples_without_data: [...names].filter((name) => !matchedNames.has(name)),
    experiments_taking_files: [...recording, ...stopped].map(({ code }) => code),
  };
}
