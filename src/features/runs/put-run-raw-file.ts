/** Adds a raw file to a stored run: it is read and held against the plan, then its bytes are stored, then its row. */
import type { ReadContext } from '#core/context.ts';
import { formatCount } from '#core/words.ts';
import type { Cut } from '#analysis/cuts/types.ts';
import { fail, type Problem } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { Sql, Transaction } from '#core/sql.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { lockExperiment } from '../experiments/store.ts';
import type { putRunRawFile as operation } from './file-contract.ts';
import { findSharedTwin, putSharedFile, selectEarlierSharedVersions } from './file-store.ts';
import { lockRun, selectRunExperiments } from './store.ts';
import { addUpdate } from '../experiments/transition-experiment.ts';
import type { OutwardContext } from '../installation/outward-context.ts';
import { inspectFile, type GivenFile } from './raw-files/put-raw-file.ts';
import { buildFileInfo } from './raw-files/run-info.ts';
import {
  createNotRunningFailure,
  cutSharedFiles,
  describeShares,
  findOpenExperiments,
  listPlannedNames,
  loadSharedRun,
  selectErrors,
  type OpenExperiments,
  type SharedRun,
} from './shared-run.ts';

/** `PUT /lab/runs/{run_id}/raw-files/{name}`. */
export async function putRunRawFile(input: Input<typeof operation>, context: OutwardContext) {
  const { upload } = input;
  if (upload === undefined) throw new Error('an upload without a file');
  const { run_id: runId, name } = input.params;
  return takeSharedFile(context, runId, { name, staged: upload, field: 'body' });
}

/** Refuses a run that takes no files, before a byte of the file is read. */
export async function refuseEarly(
  { params }: Pick<Input<typeof operation>, 'params'>,
  { sql }: Pick<ReadContext, 'sql'>,
): Promise<void> {
  await requireOpen(sql, await loadSharedRun(sql, params.run_id));
}

/** Throws `lab_run_not_found`. */
export async function takeSharedFile(context: OutwardContext, runId: string, upload: GivenFile) {
  const { database, rawFiles, ids, clock, principal } = context;
  context.setAuditOrganization(INSTALLATION_ID);
  const shared = await loadSharedRun(database.read, runId);
  await requireOpen(database.read, shared);
  const { name, staged, field } = upload;
  const { path, sha256, sizeBytes } = staged;
  const file = { name, path, sha256 };
  const experimentType = shared.run.experiment_type;
  const understood = await inspectFile(rawFiles, { experimentType, file }, field);
  const cut = await cutSharedFiles(rawFiles, shared, { files: [file] });
  const errors = selectErrors(cut.problems);
  refuseFile(errors.map(({ message }) => ({ path: field, message })));
  await staged.keep();
  return database.runTransaction(async (tx) => {
    const run = await lockRun(tx, shared.run.id);
    if (run === undefined) throw fail('lab_run_not_found');
    // While the file was read, the run may have been completed.
    const experiments = await selectRunExperiments(labScope, tx, run.id);
    const current = { ...shared, run, experiments };
    const open = await requireOpen(tx, current);
    await refuseTwin(tx, { runId: run.id, name, sha256 }, field);
    const row = await putSharedFile(tx, {
      id: ids.createUuid(),
      run_id: run.id,
      name,
      sha256,
      understood,
      size_bytes: sizeBytes,
      uploaded_by: principal.userEmail,
      at: clock.now(),
    });
    await tellExperiments(context, tx, open, { cut, sha256 });
    const earlier = await selectEarlierSharedVersions(tx, run.id);
    const answer = {
      run_id: run.id,
      run_code: run.code,
      file: buildFileInfo(row, listPlannedNames(shared), earlier),
      experiments: describeShares(current, cut.shares),
    };
    await context.audit(tx, answer);
    return answer;
  });
}

async function requireOpen(sql: Sql, { run, experiments }: SharedRun): Promise<OpenExperiments> {
  const open = await findOpenExperiments(sql, experiments);
  if (open.recording.length + open.stopped.length > 0) return open;
  throw createNotRunningFailure(run, 'take raw files');
}

/** Each client reads how many curves of its own arrived, and nothing of the others. */
async function tellExperiments(
  context: OutwardContext,
  tx: Transaction,
  { recording, stopped }: OpenExperiments,
  { cut, sha256 }: { readonly cut: Cut; readonly sha256: string },
): Promise<void> {
  const ids = [...recording, ...stopped].map(({ experiment_id: id }) => id);
  for (const id of ids.toSorted()) {
    const { nOwn = 0 } = cut.shares.find(({ owner }) => owner === id) ?? {};
    if (nOwn === 0) continue;
    const experiment = await lockExperiment(labScope, tx, id);
    if (experiment === undefined) continue;
    const description = `${formatCount(nOwn, 'trace')}, SHA-256 ${sha256}.`;
    await addUpdate(context, tx, experiment, {
      event: 'raw_file.recorded',
      name: 'Raw file recorded',
      actor: 'lab',
      description,
    });
  }
}

/** The same bytes twice would count as two measurements, in this run or in another one. */
async function refuseTwin(
  sql: Sql,
  file: { readonly runId: string; readonly name: string; readonly sha256: string },
  field: string,
): Promise<void> {
  const twin = await findSharedTwin(sql, file);
  if (twin === undefined) return;
  const where =
    twin.lab_run_id === file.runId ? 'the run' : `RUN-${String(twin.run_number).padStart(6, '0')}`;
  refuseFile([{ path: field, message: `${where} already has a file with the same bytes: ${twin.name}` }]);
}

function refuseFile(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw fail('raw_file_refused', { reason: first.message.replace(/\.$/, '') }, { problems });
}
