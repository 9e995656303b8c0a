/**
 * Analyzes the raw files of a run again with other settings: each result gets a new version, and the old one stays.
 */
import type { Work, WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { findExperiment, lockExperiment, type ExperimentRow } from '#domain/experiments/store.ts';
import { enqueue } from '#domain/jobs/store.ts';
import type { reanalyzeExperiment as operation } from '#domain/lab/contract.ts';
import { selectLatestRun } from '#domain/lab/store.ts';
import { insertResults, selectLatestVersion } from '#domain/results/store.ts';
import { amendResults, isAnalysisStored } from '#domain/results/version-store.ts';
import { addUpdate } from '../experiments/transition-experiment.ts';
import { recordChange } from '../audit/record-change.ts';
import type { AnalysisSettings } from '../assays/result-assay.ts';
import { computeResults, chooseUsualSettings, type AnalysisPorts } from './compute-results.ts';
import { toEngineSettings } from './settings-names.ts';

export const REANALYZE = 'reanalyze_experiment';

/** Statuses with results whose analysis may be repeated. */
const STATES: ReadonlySet<string> = new Set(['in_review', 'done']);

/** `POST /lab/experiments/{experiment_id}/reanalyze`: checked now, analyzed by the worker. */
export async function reanalyzeExperiment(input: Input<typeof operation>, context: WriteContext) {
  const { tx, ids, clock, principal } = context;
  const experiment = await lockExperiment(labScope, tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.setAuditOrganization(experiment.organization_id);
  if (!STATES.has(experiment.status))
    throw fail('move_not_allowed', { status: experiment.status, action: 'be analyzed again' });
  const settings = checkSettings(context, experiment, input.body.settings);
  const analysisId = ids.createUuid();
  const now = clock.now();
  await enqueue(
    createOrganizationScope(experiment.organization_id),
    tx,
    {
      kind: REANALYZE,
      payload: {
        experiment_id: experiment.id,
        analysis_id: analysisId,
        settings,
        reason: input.body.reason,
        asked_by: principal.userEmail,
      },
      dueAt: now,
    },
    now,
  );
  return { experiment_id: experiment.id, experiment_code: experiment.code, analysis_id: analysisId };
}

/**
 * The usual settings merged with the requested ones; throws `invalid_request` for settings that the engine rejects.
 */
export function checkSettings(
  { site }: Pick<Work, 'site'>,
  experiment: Pick<ExperimentRow, 'experiment_type' | 'method'>,
  asked: Readonly<Record<string, unknown>> = {},
): AnalysisSettings {
  const settings = { ...chooseUsualSettings(experiment), ...toEngineSettings(asked) };
  const refused = site.findSettingsProblem(experiment.experiment_type, settings);
  if (refused === null) return settings;
  throw fail('invalid_request', { reason: refused }, { problems: [{ path: 'settings', message: refused }] });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The job: has one effect for each request, however often it runs. */
export async function runReanalysisJob(
  work: Work,
  ports: AnalysisPorts,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { read } = ports.database;
  const experiment = await findExperiment(labScope, read, String(payload.experiment_id));
  if (experiment === undefined) return;
  const scope = createOrganizationScope(experiment.organization_id);
  const analysisId = String(payload.analysis_id);
  const asked = { experimentId: experiment.id, analysisId };
  const run = await selectLatestRun(scope, read, experiment.id);
  if (run === undefined || (await isAnalysisStored(scope, read, asked))) return;
  const settings = isRecord(payload.settings) ? payload.settings : {};
  const results = await computeResults(work, ports, { experiment, run, version: 1 }, settings);
  const reason = String(payload.reason);
  await ports.database.runTransaction(async (tx) => {
    const current = await lockExperiment(labScope, tx, experiment.id);
    if (current === undefined || !STATES.has(current.status)) return;
    if (await isAnalysisStored(scope, tx, asked)) return;
    const version = (await selectLatestVersion(scope, tx, current.id)) + 1;
    const now = work.clock.now();
    const versions = results.map((result) => ({
      ...result,
      version,
      analysisId,
      metadata: { ...result.metadata, reason },
    }));
    await insertResults(scope, tx, versions, now);
    if (current.status === 'done') {
      await amendResults(scope, tx, { experimentId: current.id, version }, now);
      const description = `Version ${version} of ${results.length} results: ${reason}`;
      await addUpdate(work, tx, current, { type: 'results', name: 'Results amended', description });
    }
    await recordChange(work, tx, scope, {
      actorKind: 'worker',
      actor: 'worker',
      operation: REANALYZE,
      subject: current.id,
      details: { version, reason, analysis_id: analysisId, asked_by: payload.asked_by },
    });
  });
}

/**
 * Called when the job was given up: reports it in the feed of the experiment and in the audit trail. Clients read
 * both, so the cause, which may name files of the lab, stays with the job and the log.
 */
export async function recordFailedReanalysis(
  work: Work,
  tx: Transaction,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const experiment = await findExperiment(labScope, tx, String(payload.experiment_id));
  if (experiment === undefined) return;
  await addUpdate(work, tx, experiment, {
    type: 'error',
    name: 'Repeated analysis failed',
    description: 'Another analysis of the measurement could not be completed. The results have not changed.',
  });
  await recordChange(work, tx, createOrganizationScope(experiment.organization_id), {
    actorKind: 'worker',
    actor: 'worker',
    operation: 'reanalysis_failed',
    subject: experiment.id,
    details: { analysis_id: payload.analysis_id, reason: payload.reason, asked_by: payload.asked_by },
  });
}
