import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import { recordAct } from '../audit/record-change.ts';
import { lockExperiment, type ExperimentRow } from '../experiments/store.ts';
import { insertRun, selectLatestRun } from './raw-files/store.ts';
import type { startLabRun as operation } from './run-contract.ts';
import { markRunStarted, selectExperimentIds, type StoredRun } from './store.ts';
import { transitionExperiment } from '../experiments/transition-experiment.ts';
import { describeJudgedRun, holdPlannedRun, checkRun } from './stored-run.ts';

interface Started {
  readonly run: StoredRun & { readonly instrument: string; readonly operator: string };
  readonly unpaidReason: string | null;
}

/** `POST /lab/runs/{run_id}/start`: every experiment of the run moves, or none does. */
export async function startLabRun({ params, body }: Input<typeof operation>, context: WriteContext) {
  const { tx, clock, principal } = context;
  context.setAuditOrganization(INSTALLATION_ID);
  const planned = await holdPlannedRun(tx, params.run_id, 'be started');
  const at = clock.now();
  const { instrument = planned.instrument, operator = planned.operator } = body ?? {};
  const locked = await lockExperiments(context, planned);
  const judged = await checkRun(tx, { ...planned, instrument, operator }, at);
  if (instrument === null || operator === null || judged.startProblems.length > 0)
    throw createNotStartableFailure(judged.startProblems);
  await markRunStarted(tx, planned.id, { instrument, operator, startedBy: principal.userEmail, at });
  const times = { started_at: at.toISOString(), updated_at: at.toISOString() };
  const run = {
    ...planned,
    instrument,
    operator,
    status: 'running' as const,
    started_by: principal.userEmail,
    ...times,
  };
  const paid = new Map(
    judged.experiments.map((each) => [each.experiment_id, each.invoice_status === 'paid']),
  );
  const reasons = new Map(judged.experiments.map((each) => [each.experiment_id, each.unpaid_reason]));
  for (const experiment of locked) {
    const isPaid = paid.get(experiment.id) === true;
    await startExperiment(context, experiment, {
      run,
      unpaidReason: isPaid ? null : (reasons.get(experiment.id) ?? null),
    });
  }
  context.addAuditDetails({
    run: run.code,
    instrument,
    operator,
    experiments: locked.map(({ code }) => code),
  });
  const experiments = judged.experiments.map((each) => ({ ...each, status: 'in_production' as const }));
  return describeJudgedRun({ run, experiments, problems: [], startProblems: [] });
}

/** Locks in the order of their ids, so that two runs that share experiments wait for each other and do not deadlock. */
async function lockExperiments({ tx }: WriteContext, { id }: StoredRun): Promise<ExperimentRow[]> {
  const rows: ExperimentRow[] = [];
  for (const experimentId of await selectExperimentIds(labScope, tx, id)) {
    const row = await lockExperiment(labScope, tx, experimentId);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

function createNotStartableFailure(reasons: readonly string[]): Error {
  const [first = ''] = reasons;
  const others = reasons.length > 1 ? ` There are ${reasons.length} reasons.` : '';
  const problems = reasons.map((message, index) => ({ path: `start_problems.${index}`, message }));
  return fail('run_not_startable', { reason: `${first}${others}` }, { problems });
}

/** What the client reads names its own experiment alone. */
async function startExperiment(
  context: WriteContext,
  experiment: ExperimentRow,
  { run, unpaidReason }: Started,
): Promise<void> {
  const { tx, ids, clock, principal, requestId } = context;
  const scope = createOrganizationScope(experiment.organization_id);
  await transitionExperiment(context, tx, scope, experiment, {
    trigger: 'start_run',
    actor: 'lab',
    action: 'be started',
    description: `On ${run.instrument}.`,
  });
  const previous = await selectLatestRun(scope, tx, experiment.id);
  await insertRun(scope, tx, {
    id: ids.createUuid(),
    experiment_id: experiment.id,
    ordinal: (previous?.ordinal ?? 0) + 1,
    instrument: run.instrument,
    started_at: clock.now(),
    by_hand: true,
    override_reason: unpaidReason,
    lab_run_id: run.id,
    operator: run.operator,
  });
  await recordAct(context, tx, scope, {
    by: principal,
    operation: 'start_run',
    subject: experiment.id,
    origin: { requestId },
  });
}
