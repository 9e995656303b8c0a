/**
 * The operations of the step "run", each with what carries it out.
 * This folder: the start of a run in the lab. Not here: its plan and its files (`features/runs`).
 */
import { bindWrite, type Binding } from '#features/binding.ts';
import * as runsRawFilesRunContract from '#features/runs/raw-files/run-contract.ts';
import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { findInvoiceOfExperiment } from '#features/invoices/store.ts';
import { insertRun, selectLatestRun, findUnpaidReason } from '#features/runs/raw-files/store.ts';
import { takeBackDecisions } from '#features/review/store.ts';
import { transitionExperiment } from '#features/experiments/transition-experiment.ts';
import { logReview } from '#features/review/review-log.ts';
import { describeMove, holdExperiment } from '#features/runs/raw-files/lab-step.ts';
import { runInfo } from '#features/runs/raw-files/run-info.ts';

export const runOperations: readonly Binding[] = [bindWrite(runsRawFilesRunContract.startRun, startRun)];

/** Who may start a run before the invoice is paid. */
const OVERRIDE = 'lab:review';

/**
 * `POST /lab/experiments/{experiment_id}/runs`: starts the run of a waiting experiment, or repeats the run of one in
 * review.
 */
async function startRun(input: Input<typeof runsRawFilesRunContract.startRun>, context: WriteContext) {
  const { tx, principal } = context;
  const { instrument, override_reason: reason = null } = input.body;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  const scope = createOrganizationScope(experiment.organization_id);
  const trigger = experiment.status === 'in_review' ? 'repeat_run' : 'start_run';
  const after = await transitionExperiment(context, tx, scope, experiment, {
    trigger,
    actor: 'lab',
    action: 'be started',
    description: `On ${instrument}.`,
  });
  const invoice = await findInvoiceOfExperiment(scope, tx, experiment.id);
  const isPaid = invoice?.status === 'paid';
  // An experiment in review was paid for, or overridden, when its first run started.
  const needsRelease = !isPaid && trigger === 'start_run';
  const released = needsRelease ? await findUnpaidReason(scope, tx, experiment.id) : null;
  const needsOverride = needsRelease && released === null;
  if (needsOverride && reason === null) throw fail('run_not_paid', { status: invoice?.status ?? 'missing' });
  if (needsOverride && !principal.permissions.has(OVERRIDE))
    throw fail('permission_denied', { permission: OVERRIDE });
  const previous = await selectLatestRun(scope, tx, experiment.id);
  await insertRun(scope, tx, {
    id: context.ids.createUuid(),
    experiment_id: experiment.id,
    ordinal: (previous?.ordinal ?? 0) + 1,
    instrument,
    started_at: context.clock.now(),
    by_hand: true,
    override_reason: needsOverride ? reason : released,
  });
  if (trigger === 'repeat_run') {
    // The decisions were about replicates of runs that no longer count.
    await takeBackDecisions(scope, tx, experiment.id, 0);
    await logReview(context, tx, experiment, principal, { action: 'run_repeated', version: null });
  }
  const run = await selectLatestRun(scope, tx, experiment.id);
  return { ...describeMove(experiment, after.status), run: runInfo(run) };
}
