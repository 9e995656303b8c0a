import { formatCount, joinFirst } from '#core/words.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { findExperiment, lockExperiment, type ExperimentRow } from '#features/experiments/store.ts';
import { selectRawFilesOfRun } from '#features/runs/raw-files/raw-file-store.ts';
import type { completeRawData as operation } from '#features/runs/raw-files/run-contract.ts';
import { completeRun, selectLatestRun, type RunRow } from '#features/runs/raw-files/store.ts';
import { transitionExperiment } from '#features/experiments/transition-experiment.ts';
import type { OutwardContext } from '#features/installation/outward-context.ts';
import { logReview } from '#features/review/review-log.ts';
import { createShortfallFailure } from '#features/review/shortfall.ts';
import { askForAnalysis } from './analyze-experiment.ts';
import { describeMove } from '#features/runs/raw-files/lab-step.ts';
import { describeSubject, rehearseKept } from '#features/runs/raw-files/preview-raw-files.ts';
import { checkSettings } from './reanalyze-experiment.ts';

/**
 * `POST /lab/experiments/{experiment_id}/complete`: closes the current run, whose raw data are
 * complete, and asks for its analysis. The files are segmented as the analysis does it before anything changes.
 */
export async function completeRawData({ params, body }: Input<typeof operation>, context: OutwardContext) {
  const { database, clock, principal } = context;
  const { read } = database;
  const unlocked = await findExperiment(labScope, read, params.experiment_id);
  if (unlocked === undefined) throw fail('experiment_not_found');
  const scope = createOrganizationScope(unlocked.organization_id);
  context.setAuditOrganization(unlocked.organization_id);
  const run = await requireRecordedRun(read, unlocked);
  const settings = await checkSettings(context, unlocked, body?.settings);
  const before = await listFileVersions(read, run);
  const missing = await findMissing(context, unlocked, { run, settings, hasFiles: before.length > 0 });
  if (missing !== null && body?.reason === undefined) throw createShortfallFailure(missing, 'bring');
  return database.runTransaction(async (tx) => {
    const experiment = await lockExperiment(labScope, tx, unlocked.id);
    if (experiment === undefined) throw fail('experiment_not_found');
    const present = await requireRecordedRun(tx, experiment);
    const files = await listFileVersions(tx, present);
    if (present.id !== run.id || files.join() !== before.join())
      throw fail('raw_data_not_analyzable', { reason: 'its files changed meanwhile; complete it again.' });
    await completeRun(scope, tx, run.id, clock.now());
    const counted = formatCount(files.length, 'raw file');
    const after = await transitionExperiment(context, tx, scope, experiment, {
      trigger: 'complete_raw_data',
      actor: 'lab',
      action: 'complete its raw data',
      description: `${counted} recorded on ${run.instrument}.`,
    });
    if (missing !== null)
      await logReview(context, tx, experiment, principal, {
        action: 'completed',
        version: null,
        reason: `${missing}: ${body?.reason ?? ''}`,
      });
    await askForAnalysis(context, tx, experiment, { runId: run.id, settings });
    const answer = describeMove(experiment, after.status);
    await context.audit(tx, answer);
    return answer;
  });
}

async function requireRecordedRun(sql: Sql, experiment: ExperimentRow): Promise<RunRow> {
  const run = await selectLatestRun(labScope, sql, experiment.id);
  if (experiment.status !== 'in_production' || run === undefined)
    throw fail('move_not_allowed', { status: experiment.status, action: 'complete its raw data' });
  if (!run.by_hand) throw fail('run_not_by_hand');
  return run;
}

async function listFileVersions(sql: Sql, run: RunRow): Promise<string[]> {
  const files = await selectRawFilesOfRun(labScope, sql, run.id);
  // A run that repeats replicates may end without any: what was measured before is analyzed without them.
  if (files.length === 0 && !run.adds_to_earlier) throw fail('run_without_files');
  return files.map(({ name, sha256 }) => `${name}/${sha256}`);
}

/**
 * Says what the files lack of the order, and which of their names nobody ordered; null where nothing. Throws
 * `raw_data_not_analyzable` where the analysis would stop.
 */
async function findMissing(
  context: OutwardContext,
  experiment: ExperimentRow,
  {
    run,
    settings,
    hasFiles,
  }: { run: RunRow; settings: Readonly<Record<string, unknown>>; hasFiles: boolean },
): Promise<string | null> {
  if (!hasFiles) return null;
  const { database, rawFiles } = context;
  const subject = await describeSubject(database.read, experiment, run);
  const preview = await rehearseKept({ rawFiles }, { ...subject, settings });
  const stops = preview.problems.filter(({ severity }) => severity === 'error');
  const [first] = stops;
  if (first !== undefined) {
    const problems = stops.map(({ message, setting }, index) => ({
      path: setting === undefined ? `problems.${index}` : `settings.${setting}`,
      message,
    }));
    throw fail('raw_data_not_analyzable', { reason: first.message }, { problems });
  }
  const foreign = preview.samples_not_ordered;
  const parts = [
    // The runs before it hold the rest of the order.
    ...(run.adds_to_earlier ? [] : [preview.shortfall]),
    foreign.length === 0 ? null : `nobody ordered ${joinFirst(foreign, NAMES_SHOWN)}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join('; ');
}

const NAMES_SHOWN = 5;
