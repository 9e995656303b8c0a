/** Adds a raw instrument file to a run: the file is parsed, then its bytes are stored, then its row. */
import { findErrorCode } from '#core/records.ts';
import type { StagedFile } from '#core/blobs.ts';
import type { ReadContext } from '#core/context.ts';
import { formatCount } from '#core/words.ts';
import { fail } from '#core/failures.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Input } from '#core/operation.ts';
import { getExactlyOne, type Sql } from '#core/sql.ts';
import { findExperiment, lockExperiment, type ExperimentRow } from '../../experiments/store.ts';
import {
  listDigests,
  putRawFiles,
  selectEarlierVersions,
  selectRawFilesOfAnalysis,
  type AnalyzedFile,
  type Understood,
} from './raw-file-store.ts';
import type { putRawFile as operation } from './run-contract.ts';
import { selectLatestRun, type RunRow } from './store.ts';
import { selectSequencesOfExperiment } from '../../sequences/store.ts';
import { addUpdate } from '../../experiments/transition-experiment.ts';
import type { OutwardContext, RawFilePorts } from '../../installation/outward-context.ts';
import { buildFileInfo, runInfo } from './run-info.ts';

export interface GivenFile {
  readonly name: string;
  readonly staged: StagedFile;
  /** Path of its bytes in the request, for problems. */
  readonly field: string;
}

/** `PUT /lab/experiments/{experiment_id}/files/{name}`: stores the bytes before the row that refers to them. */
export async function putRawFile(input: Input<typeof operation>, context: OutwardContext) {
  const { upload } = input;
  if (upload === undefined) throw new Error('an upload without a file');
  const { experiment_id: experimentId, name } = input.params;
  return takeRawFile(context, experimentId, { name, staged: upload, field: 'body' });
}

/** Refuses an order that takes no files, before a byte of the file is read. */
export async function refuseEarly(
  { params }: Pick<Input<typeof operation>, 'params'>,
  { sql }: Pick<ReadContext, 'sql'>,
): Promise<void> {
  const experiment = await findExperiment(labScope, sql, params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  await requireOpenRun(sql, experiment);
}

export async function takeRawFile(
  context: OutwardContext,
  experimentId: string,
  { name, staged, field }: GivenFile,
) {
  const { database, rawFiles, ids, clock, principal } = context;
  const unlockedExperiment = await findExperiment(labScope, database.read, experimentId);
  if (unlockedExperiment === undefined) throw fail('experiment_not_found');
  context.setAuditOrganization(unlockedExperiment.organization_id);
  const scope = createOrganizationScope(unlockedExperiment.organization_id);
  const run = await requireOpenRun(database.read, unlockedExperiment);
  const { path, sha256, sizeBytes } = staged;
  const file = { name, path, sha256 };
  const understood = await inspectFile(
    rawFiles,
    { experimentType: unlockedExperiment.experiment_type, file },
    field,
  );
  await staged.keep();
  return database.runTransaction(async (tx) => {
    const experiment = await lockExperiment(scope, tx, unlockedExperiment.id);
    if (experiment === undefined) throw fail('experiment_not_found');
    // While the file was read, another run may have started or this one may have been completed.
    if ((await requireOpenRun(tx, experiment)).id !== run.id) throw createNotOpenFailure(experiment);
    const isRepeated = await hasFile(tx, run, { name, sha256, field, digests: listDigests(understood) });
    const of = {
      experiment_id: experiment.id,
      run_id: run.id,
      at: clock.now(),
      uploaded_by: principal.userEmail,
    };
    const row = getExactlyOne(
      await putRawFiles(scope, tx, of, [{ id: ids.createUuid(), name, sha256, sizeBytes, understood }]),
    );
    const traces = understood.sets.reduce((sum, { nTraces }) => sum + nTraces, 0);
    const description = `${formatCount(traces, 'trace')}, SHA-256 ${sha256}.`;
    // Whoever repeats a request because its answer was lost records nothing new.
    if (!isRepeated)
      await addUpdate(context, tx, experiment, {
        event: 'raw_file.recorded',
        name: 'Raw file recorded',
        description,
        actor: 'lab',
      });
    const sequences = await selectSequencesOfExperiment(scope, tx, experiment.id);
    const sequenceNames = new Set(sequences.map((sequence) => sequence.name));
    const earlier = await selectEarlierVersions(scope, tx, run.id);
    const answer = { run: runInfo(run), file: buildFileInfo(row, sequenceNames, earlier) };
    await context.audit(tx, answer);
    return answer;
  });
}

/**
 * Whether the run has this very file. The same bytes under another name, or the same measurement in other bytes, would
 * count as another measurement, so such a file is rejected. So is one in place of a part of shared files, which the
 * service alone writes.
 */
async function hasFile(
  sql: Sql,
  run: RunRow,
  file: { name: string; sha256: string; digests: readonly string[]; field: string },
): Promise<boolean> {
  const others = await selectRawFilesOfAnalysis(labScope, sql, run.id);
  const own = run.adds_to_earlier ? run.ordinal : null;
  const cut = others.find(
    (other) => other.name === file.name && other.run === own && other.cut_from !== null,
  );
  if (cut !== undefined) {
    const reason = `${cut.name} is the part of the files that the run shares: send the file to the run, or under another name`;
    throw fail('raw_file_refused', { reason }, { problems: [{ path: file.field, message: reason }] });
  }
  const isOther = ({ name, run: of }: AnalyzedFile): boolean => name !== file.name || of !== own;
  const twin =
    others.find((other) => isOther(other) && other.sha256 === file.sha256) ??
    others.find((other) => isOther(other) && hasCommon(listDigests(other.understood), file.digests));
  if (twin === undefined)
    return others.some(
      ({ name, sha256, run: of }) => name === file.name && sha256 === file.sha256 && of === own,
    );
  const reason = `${twin.run === own ? 'the run' : 'an earlier run'} already has a file with the same ${twin.sha256 === file.sha256 ? 'bytes' : 'measured values'}: ${twin.name}`;
  throw fail('raw_file_refused', { reason }, { problems: [{ path: file.field, message: reason }] });
}

export function hasCommon(one: readonly string[], other: readonly string[]): boolean {
  return one.some((each) => other.includes(each));
}

/** Finds the run that accepts files: a run by staff, while it is recorded or after its analysis was stopped. */
async function requireOpenRun(sql: Sql, experiment: ExperimentRow): Promise<RunRow> {
  const run = await selectLatestRun(createOrganizationScope(experiment.organization_id), sql, experiment.id);
  const { status } = experiment;
  const isStopped = status === 'data_analysis' && run !== undefined && run.problem !== null;
  if (run === undefined || (status !== 'in_production' && !isStopped)) throw createNotOpenFailure(experiment);
  if (!run.by_hand) throw fail('run_not_by_hand');
  return run;
}

function createNotOpenFailure({ status }: ExperimentRow): Error {
  return fail('move_not_allowed', { status, action: 'take raw files' });
}

/** Throws `raw_file_refused`. */
export async function inspectFile(
  ports: RawFilePorts,
  file: Parameters<RawFilePorts['inspect']>[0],
  field: string,
): Promise<Understood> {
  try {
    return await ports.inspect(file);
  } catch (error) {
    const reason = ports.findProblem(error);
    // Any other failure is a full pool: the file is not at fault.
    if (reason === null) throw isFull(error) ? fail('overloaded', {}, { cause: error }) : error;
    const problems = [{ path: field, message: reason }];
    throw fail('raw_file_refused', { reason }, { problems });
  }
}

export function isFull(error: unknown): boolean {
  const code = findErrorCode(error);
  return code === 'queue_full' || code === 'closed';
}
