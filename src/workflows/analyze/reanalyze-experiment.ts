/**
 * Analyzes the raw files of an experiment again: each result gets a new version that waits for review, and the old one
 * stays.
 */
import type { Work, WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import type { Principal } from '#core/principal.ts';
import { isRecord } from '#core/records.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import { findExperiment, lockExperiment, type ExperimentRow } from '#features/experiments/store.ts';
import { REANALYZE } from '#features/jobs/rules.ts';
import { enqueue } from '#features/jobs/store.ts';
import type { reanalyzeExperiment as operation } from '#features/runs/raw-files/contract.ts';
import { selectLatestRun, type RunRow } from '#features/runs/raw-files/store.ts';
import {
  selectPresentVersion,
  isAnalysisStored,
  selectSettingsOfVersion,
  selectLatestVersion,
} from '#features/results/release-store.ts';
import { insertResults } from '#features/results/store.ts';
import { findAnalysis, isSameExclusion, type Exclusion } from '#features/review/rules.ts';
import { selectReviewEvents } from '#features/review/store.ts';
import { recordChange } from '#features/audit/record-change.ts';
import type { AnalysisSettings } from '#assays/result-record.ts';
import type { RawFilePorts } from '#features/installation/outward-context.ts';
import { logReview, selectExclusions } from '#features/review/review-log.ts';
import {
  computeResults,
  chooseUsualSettings,
  type AnalysisPorts,
  type ComputedResults,
} from '#features/runs/raw-files/compute-results.ts';
import { holdExperiment } from '#features/runs/raw-files/lab-step.ts';
import { toEngineSettings } from '#features/runs/raw-files/settings-names.ts';

/** Statuses with results whose analysis may be repeated. */
const STATES: ReadonlySet<string> = new Set(['in_review', 'done']);

/** `POST /lab/experiments/{experiment_id}/reanalyze`: checked now, analyzed by the worker. */
export async function reanalyzeExperiment(input: Input<typeof operation>, context: WriteContext) {
  const experiment = await holdExperiment(context, input.params.experiment_id);
  // Clients read the audit trail of their organization, and nothing of this is released yet.
  context.setAuditOrganization(INSTALLATION_ID);
  if (!STATES.has(experiment.status))
    throw fail('move_not_allowed', { status: experiment.status, action: 'be analyzed again' });
  const settings = await checkSettings(context, experiment, input.body.settings);
  const analysisId = await askForReanalysis(context, experiment, { settings, reason: input.body.reason });
  return { experiment_id: experiment.id, experiment_code: experiment.code, analysis_id: analysisId };
}

/** Enqueues another analysis; without settings, with those of the newest version. Returns its id. */
export async function askForReanalysis(
  context: Pick<WriteContext, 'tx' | 'ids' | 'clock'> & {
    /** Null for the simulated lab. */
    readonly principal: Pick<Principal, 'userId' | 'userEmail'> | null;
  },
  experiment: ExperimentRow,
  { settings, reason }: { readonly settings: AnalysisSettings | null; readonly reason: string },
): Promise<string> {
  const { tx, ids, clock, principal } = context;
  const id = ids.createUuid();
  const now = clock.now();
  const payload = {
    experiment_id: experiment.id,
    analysis_id: id,
    settings,
    reason,
    asked_by: principal?.userEmail ?? 'simulated lab',
  };
  const scope = createOrganizationScope(experiment.organization_id);
  await enqueue(scope, tx, { kind: REANALYZE, payload, dueAt: now }, now);
  await logReview(context, tx, experiment, principal, {
    action: 'analysis_asked',
    version: null,
    analysis_id: id,
    reason,
  });
  return id;
}

/**
 * The usual settings merged with the requested ones; throws `invalid_request` for settings that the engine rejects.
 */
export async function checkSettings(
  { site }: Pick<Work, 'site'>,
  experiment: Pick<ExperimentRow, 'experiment_type' | 'method'>,
  newSettings: Readonly<Record<string, unknown>> = {},
): Promise<AnalysisSettings> {
  const settings = { ...chooseUsualSettings(experiment), ...toEngineSettings(newSettings) };
  const refused = site.findSettingsProblem(experiment.experiment_type, settings);
  if (refused === null) return settings;
  throw fail('invalid_request', { reason: refused }, { problems: [{ path: 'settings', message: refused }] });
}

type ReanalysisPorts = AnalysisPorts & Pick<RawFilePorts, 'findProblem'>;

/** Number of times that an analysis begins anew because staff decided something while it ran. */
const ATTEMPTS_MAX = 3;

/** The job: has one effect for each request, however often it runs. */
export async function runReanalysisJob(
  work: Work,
  ports: ReanalysisPorts,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { read } = ports.database;
  const experiment = await findExperiment(labScope, read, String(payload.experiment_id));
  if (experiment === undefined || !STATES.has(experiment.status)) return;
  const key = { experimentId: experiment.id, analysisId: String(payload.analysis_id) };
  const run = await selectLatestRun(labScope, read, experiment.id);
  if (run === undefined || (await isAnalysisStored(labScope, read, key))) return;
  try {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1)
      if (await analyzeAgain(work, ports, { experiment, run }, payload)) return;
  } catch (error) {
    const problem = ports.findProblem(error);
    if (problem === null) throw error;
    await ports.database.runTransaction((tx) => recordFailedReanalysis(work, tx, payload, problem));
    return;
  }
  throw new Error(`${experiment.code} was decided about during each of ${ATTEMPTS_MAX} analyses`);
}

/** Returns false where staff decided something meanwhile, so that the analysis is out of date. */
async function analyzeAgain(
  work: Work,
  ports: ReanalysisPorts,
  { experiment, run }: { readonly experiment: ExperimentRow; readonly run: RunRow },
  payload: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const { read } = ports.database;
  const exclusions = await selectExclusions(labScope, read, experiment.id);
  const settings = isRecord(payload.settings)
    ? payload.settings
    : await findPresentSettings(ports, experiment);
  const subject = { experiment, run, version: 1, exclusions };
  const results = await computeResults(work, ports, subject, settings);
  try {
    return await ports.database.runTransaction(async (tx) => {
      const current = await lockExperiment(labScope, tx, experiment.id);
      if (current === undefined || !STATES.has(current.status)) return true;
      if (!isSameExclusion(exclusions, await selectExclusions(labScope, tx, current.id))) return false;
      await storeVersion(work, tx, current, { results, settings, exclusions, payload });
      return true;
    });
  } finally {
    await results.drop();
  }
}

/** The settings as they were given for the newest version; of an older one, the complete ones that it shows. */
async function findPresentSettings(
  { database: { read } }: AnalysisPorts,
  experiment: ExperimentRow,
): Promise<AnalysisSettings> {
  const version = await selectPresentVersion(labScope, read, experiment.id);
  const analysis = findAnalysis(await selectReviewEvents(labScope, read, experiment.id), version);
  if (analysis?.details?.settings !== undefined) return analysis.details.settings;
  const shown = await selectSettingsOfVersion(labScope, read, { experimentId: experiment.id, version });
  return shown === undefined ? chooseUsualSettings(experiment) : toEngineSettings(shown);
}

interface Analyzed {
  readonly results: ComputedResults;
  readonly settings: AnalysisSettings;
  readonly exclusions: readonly Exclusion[];
  readonly payload: Readonly<Record<string, unknown>>;
}

async function storeVersion(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  { results, settings, exclusions, payload }: Analyzed,
): Promise<void> {
  const scope = createOrganizationScope(experiment.organization_id);
  const id = String(payload.analysis_id);
  const reason = String(payload.reason);
  if (await isAnalysisStored(scope, tx, { experimentId: experiment.id, analysisId: id })) return;
  const version = (await selectLatestVersion(scope, tx, experiment.id)) + 1;
  const at = work.clock.now();
  for await (const slice of results.readSlices()) {
    const versions = slice.map((result) => ({
      ...result,
      version,
      analysis_id: id,
      metadata: { ...result.metadata, reason },
    }));
    await insertResults(scope, tx, versions, at);
  }
  await logReview(work, tx, experiment, null, {
    action: 'analyzed',
    version,
    analysis_id: id,
    reason,
    details: { settings, exclusions },
  });
  await recordChange(work, tx, createOrganizationScope(INSTALLATION_ID), {
    actorKind: 'worker',
    actor: 'worker',
    operation: REANALYZE,
    subject: experiment.id,
    details: { version, reason, analysis_id: id, asked_by: payload.asked_by },
  });
}

/**
 * Called when the job was given up, or with the problem that staff can solve. Clients are told nothing, because what
 * was released has not changed.
 */
export async function recordFailedReanalysis(
  work: Work,
  tx: Transaction,
  payload: Readonly<Record<string, unknown>>,
  problem = 'The analysis could not be completed, for a reason other than files and settings. Ask for it again.',
): Promise<void> {
  const experiment = await lockExperiment(labScope, tx, String(payload.experiment_id));
  if (experiment === undefined) return;
  await logReview(work, tx, experiment, null, {
    action: 'analysis_failed',
    version: null,
    analysis_id: String(payload.analysis_id),
    reason: problem,
  });
  await recordChange(work, tx, createOrganizationScope(INSTALLATION_ID), {
    actorKind: 'worker',
    actor: 'worker',
    operation: 'reanalysis_failed',
    subject: experiment.id,
    details: { analysis_id: payload.analysis_id, reason: payload.reason, asked_by: payload.asked_by },
  });
}
