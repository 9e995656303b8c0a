import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import { findExperiment } from '../../experiments/store.ts';
import { selectEarlierVersions, selectUnderstoodFiles } from './raw-file-store.ts';
import type { listRawFiles as operation } from './run-contract.ts';
import { selectLatestRun } from './store.ts';
import { selectSequencesOfExperiment } from '../../sequences/store.ts';
import { buildFileInfo, runInfo } from './run-info.ts';

/** `GET /lab/experiments/{experiment_id}/files`: the latest run with the parsed content of its files. */
export async function listRawFiles(input: Input<typeof operation>, { sql }: ReadContext) {
  const experiment = await findExperiment(labScope, sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const run = await selectLatestRun(labScope, sql, experiment.id);
  const rows = run === undefined ? [] : await selectUnderstoodFiles(labScope, sql, run.id);
  const earlier = run === undefined ? [] : await selectEarlierVersions(labScope, sql, run.id);
  const sequences = await selectSequencesOfExperiment(labScope, sql, experiment.id);
  const names = new Set(sequences.map(({ name }) => name));
  const files = rows.map((row) => buildFileInfo(row, names, earlier));
  // Files of the simulated lab have no parsed content.
  const isKnown = files.every(({ understood }) => understood !== null);
  const matchedNames = new Set(files.flatMap(({ understood }) => understood?.matched_sequences ?? []));
  return {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    status: experiment.status,
    run: run === undefined ? null : runInfo(run),
    files,
    sequences_without_data: isKnown ? [...names].filter((name) => !matchedNames.has(name)) : [],
  };
}
