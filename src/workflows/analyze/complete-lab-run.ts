import { formatCount } from '#core/words.ts';
import type { Preview } from '#analysis/preview/types.ts';
import type { Cut } from '#analysis/cuts/types.ts';
import { createInvalidFieldsFailure, fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { Sql, Transaction } from '#core/sql.ts';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import { recordAct } from '#features/audit/record-change.ts';
import { lockExperiment, type ExperimentRow } from '#features/experiments/store.ts';
import { completeRun } from '#features/runs/raw-files/store.ts';
import type { completeLabRun as operation } from '#features/runs/file-contract.ts';
import { findSharedMapping, selectSharedFiles } from '#features/runs/file-store.ts';
import { findRun, lockRun, selectRunExperiments, type RunExperimentRow } from '#features/runs/store.ts';
import type { AnalysisSettings } from '#assays/result-record.ts';
import { transitionExperiment } from '#features/experiments/transition-experiment.ts';
import type { OutwardContext } from '#features/installation/outward-context.ts';
import { askForAnalysis } from './analyze-experiment.ts';
import { logReview } from '#features/review/review-log.ts';
import { createShortfallFailure } from '#features/review/shortfall.ts';
import { isFull } from '#features/runs/raw-files/put-raw-file.ts';
import { checkSettings } from './reanalyze-experiment.ts';
import { keepPieces, locateFiles, recordPieces, type SourceFiles } from '#features/runs/cut-files.ts';
import {
  computeCutKey,
  createNotRunningFailure,
  cutSharedFiles,
  describeShares,
  findOpenExperiments,
  formatLack,
  loadSharedRun,
  selectErrors,
  type SharedRun,
} from '#features/runs/shared-run.ts';
import { readPlanned } from '#features/runs/preview-run-raw-files.ts';
import { describeRun } from '#features/runs/stored-run.ts';

type Pieces = Awaited<ReturnType<typeof keepPieces>>;

/** The settings serve every experiment, and no trace is in the files of all of them. */
function refuseAssignment(settings: Readonly<Record<string, unknown>> | undefined): void {
  if (settings?.assign === undefined || settings.assign === null) return;
  const message = 'must not be given for a run; map its wells by hand instead';
  throw createInvalidFieldsFailure([{ path: 'settings.assign', message }]);
}

interface Prepared {
  readonly shared: SharedRun;
  readonly sources: SourceFiles;
  /** By the id of the experiment. */
  readonly pieces: ReadonlyMap<string, Pieces>;
  readonly settings: AnalysisSettings;
  /** What the files lack of the plan, and the reason to go on; null where nothing. */
  readonly shortfall: string | null;
}

/** `POST /lab/runs/{run_id}/complete`: every experiment of the run that is in production moves, or none does. */
export async function completeLabRun({ params, body }: Input<typeof operation>, context: OutwardContext) {
  const { database, clock } = context;
  context.setAuditOrganization(INSTALLATION_ID);
  refuseAssignment(body?.settings);
  const prepared = await prepareCompletion(context, params.run_id, body);
  return database.runTransaction(async (tx) => {
    await moveExperiments(context, tx, prepared);
    const run = await findRun(tx, prepared.shared.run.id);
    if (run === undefined) throw fail('lab_run_not_found');
    const answer = await describeRun(tx, run, clock.now());
    await context.audit(tx, answer);
    return answer;
  });
}

/** Cuts the files and keeps the parts, before any transaction: files may take minutes to read. */
async function prepareCompletion(
  context: OutwardContext,
  runId: string,
  body: Input<typeof operation>['body'],
): Promise<Prepared> {
  const { database, rawFiles } = context;
  const { read } = database;
  const shared = await loadSharedRun(read, runId);
  const recording = await requireRecording(read, shared);
  const files = await selectSharedFiles(read, shared.run.id);
  if (files.length === 0) throw fail('run_without_files');
  const { experiment_type, method } = shared.run;
  const settings = await checkSettings(context, { experiment_type, method }, body?.settings);
  const sources = { key: computeCutKey(shared, files), files };
  const cut = await cutAll(context, shared, sources);
  refuseIncomplete(shared, cut, recording);
  const measured = await requireAnalyzable(context, shared, sources, settings);
  const open = new Set(recording.map(({ experiment_id: id }) => id));
  const experiments = shared.experiments.filter(({ experiment_id: id }) => open.has(id));
  const missing = formatLack({ ...shared, experiments }, cut.shares, measured);
  if (missing !== null && body?.reason === undefined) throw createShortfallFailure(missing, 'bring');
  const shortfall = missing === null ? null : `${missing}: ${body?.reason ?? ''}`;
  const pieces = new Map<string, Pieces>();
  for (const { experiment_id: owner } of recording)
    pieces.set(owner, await keepPieces(rawFiles.blobs, cut, { owner, sources }));
  return { shared, sources, pieces, settings, shortfall };
}

/** Counts what the files hold; throws where the analysis would stop, with the setting named where one is missing. */
async function requireAnalyzable(
  context: OutwardContext,
  shared: SharedRun,
  { files }: SourceFiles,
  settings: AnalysisSettings,
): Promise<Preview['measured']> {
  const located = await locateFiles(context.rawFiles.blobs, files);
  const toPreview = located.map((file, index) => ({ ...file, sizeBytes: files[index]?.size_bytes ?? 0 }));
  const { problems, measured } = await readPlanned(context, shared, toPreview, settings);
  const stops = problems.filter(({ code }) => code === 'steps_not_stated' || code === 'analysis_stops');
  const [first] = stops;
  if (first === undefined) return measured;
  const named = stops.map(({ message, setting }, index) => ({
    path: setting === undefined ? `problems.${index}` : `settings.${setting}`,
    message,
  }));
  throw fail('raw_data_not_analyzable', { reason: first.message }, { problems: named });
}

async function requireRecording(
  sql: Sql,
  { run, experiments }: Pick<SharedRun, 'run' | 'experiments'>,
): Promise<readonly RunExperimentRow[]> {
  const { recording } = await findOpenExperiments(sql, experiments);
  if (recording.length === 0) throw createNotRunningFailure(run, 'be completed');
  return recording;
}

async function cutAll({ rawFiles }: OutwardContext, shared: SharedRun, { files }: SourceFiles): Promise<Cut> {
  const located = await locateFiles(rawFiles.blobs, files);
  try {
    return await cutSharedFiles(rawFiles, shared, { files: located });
  } catch (error) {
    const reason = rawFiles.findProblem(error);
    if (reason === null) throw isFull(error) ? fail('overloaded', {}, { cause: error }) : error;
    throw refuse([reason]);
  }
}

/** Throws `run_files_refused` with every contradiction to the plan, and every experiment without data. */
function refuseIncomplete(shared: SharedRun, cut: Cut, recording: readonly RunExperimentRow[]): void {
  const open = new Set(recording.map(({ experiment_id: id }) => id));
  const empty = describeShares(shared, cut.shares).filter(
    ({ experiment_id: id, n_curves: count }) => open.has(id) && count === 0,
  );
  const reasons = [
    ...selectErrors(cut.problems).map(({ message }) => message),
    ...empty.map(
      ({ experiment_code: code }) => `The files have no data of ${code}: bring its files, or map its wells.`,
    ),
  ];
  if (reasons.length > 0) throw refuse(reasons);
}

function refuse(reasons: readonly string[]): Error {
  const problems = reasons.map((message, index) => ({ path: `problems.${index}`, message }));
  const others = reasons.length > 1 ? ` There are ${reasons.length} reasons.` : '';
  return fail('run_files_refused', { reason: `${reasons[0] ?? ''}${others}` }, { problems });
}

async function moveExperiments(
  context: OutwardContext,
  tx: Transaction,
  { shared, sources, pieces, settings, shortfall }: Prepared,
): Promise<void> {
  const run = await lockRun(tx, shared.run.id);
  if (run === undefined) throw fail('lab_run_not_found');
  // Locked in the order of their ids, so that two requests over the same experiments wait for each other.
  const locked = new Map<string, ExperimentRow>();
  for (const id of [...pieces.keys()].toSorted()) {
    const experiment = await lockExperiment(labScope, tx, id);
    if (experiment !== undefined) locked.set(id, experiment);
  }
  const experiments = await selectRunExperiments(labScope, tx, run.id);
  const recording = await requireRecording(tx, { run, experiments });
  const mapping = await findSharedMapping(tx, run.id);
  const present = { run, mappingVersion: mapping?.version ?? 0 };
  const isSame =
    computeCutKey(present, await selectSharedFiles(tx, run.id)) === sources.key &&
    recording.length === pieces.size &&
    recording.every(({ experiment_id: id }) => pieces.has(id));
  if (!isSame)
    throw refuse(['Its files, its mapping or its experiments changed meanwhile: complete it again.']);
  for (const { experiment_id: id, run_id: ownRunId } of recording) {
    const experiment = locked.get(id);
    if (experiment === undefined || ownRunId === null)
      throw new Error(`${id} is in production without its run`);
    const own = { runId: ownRunId, instrument: run.instrument ?? '', pieces: pieces.get(id) ?? [] };
    await completeExperiment(context, tx, experiment, { ...own, settings });
    if (shortfall !== null)
      await logReview(context, tx, experiment, context.principal, {
        action: 'completed',
        version: null,
        reason: shortfall,
      });
  }
}

/** What the client reads names its own experiment alone. */
async function completeExperiment(
  context: OutwardContext,
  tx: Transaction,
  experiment: ExperimentRow,
  own: {
    readonly runId: string;
    readonly instrument: string;
    readonly pieces: Pieces;
    readonly settings: AnalysisSettings;
  },
): Promise<void> {
  const { clock, principal, requestId } = context;
  const scope = createOrganizationScope(experiment.organization_id);
  const { runId, pieces, settings } = own;
  await recordPieces(context, tx, experiment, { runId, pieces, uploadedBy: principal.userEmail });
  await completeRun(scope, tx, runId, clock.now());
  const counted = formatCount(pieces.length, 'raw file');
  await transitionExperiment(context, tx, scope, experiment, {
    trigger: 'complete_raw_data',
    actor: 'lab',
    action: 'complete its raw data',
    description: `${counted} recorded on ${own.instrument}.`,
  });
  await askForAnalysis(context, tx, experiment, { runId, settings });
  await recordAct(context, tx, scope, {
    by: principal,
    operation: 'complete_raw_data',
    subject: experiment.id,
    origin: { requestId },
  });
}
