/** The operations of the step "order", each with what carries it out. */
import { bindWrite, type Binding } from '#features/binding.ts';
import * as experimentsContract from '#features/experiments/contract.ts';
import * as experimentsCloneContract from '#features/experiments/draft-contract.ts';
import * as sequencesContract from '#features/sequences/contract.ts';
import * as experimentsLabContract from '#features/experiments/lab-contract.ts';
import { createExperiment, createFrom } from './create-experiment.ts';
import { cloneExperiment } from './clone-experiment.ts';
import { modifyExperiment } from './modify-experiment.ts';
import { submitExperiment } from './submit-experiment.ts';
import type { WriteContext } from '#core/context.ts';
import { type Problem, fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import {
  createPathNamer,
  listLineProblems,
  parseConcentrations,
} from '#features/experiments/import-rules.ts';
import type { SequenceReading } from '#features/sequences/csv.ts';
import {
  addQualityWarnings,
  checkSequences,
  listGiven,
  nameGiven,
  type GivenSequence,
} from '#features/sequences/check-sequences.ts';
import { readSequences } from '#features/sequences/read-sequences.ts';
import { getScope } from '#core/principal.ts';
import { runInSlices } from '#core/slices.ts';
import { createProblemsFailure, refuseIfNotEditable, refuseIfTooMany } from '#features/experiments/rules.ts';
import { describeWarnings } from '#features/sequences/warnings.ts';
import { lockExperiment, updateExperiment, type ExperimentChanges } from '#features/experiments/store.ts';
import { selectTakenNames } from '#features/sequences/store.ts';
import { refreshDraft } from '#features/quotes/prepare-quote.ts';
import { appendSequences } from '#features/sequences/append-sequences.ts';
import { labScope } from '#core/scope.ts';
import { cancelOrder } from './cancel-order.ts';
import { selectLatestQuote, setQuoteStatus } from '#features/quotes/store.ts';
import { describeQuote } from '#features/updates/details.ts';
import { withdrawQuoteAtProcessor } from '#features/payments/order-at-processor.ts';
import { transitionExperiment, addUpdate } from '#features/experiments/transition-experiment.ts';

export const orderOperations: readonly Binding[] = [
  bindWrite(experimentsContract.createExperiment, createExperiment),
  bindWrite(experimentsCloneContract.cloneExperiment, cloneExperiment),
  bindWrite(experimentsCloneContract.importExperiment, importExperiment),
  bindWrite(experimentsContract.modifyExperiment, modifyExperiment),
  bindWrite(experimentsContract.submitExperiment, submitExperiment),
  bindWrite(experimentsContract.cancelExperiment, cancelExperiment),
  bindWrite(sequencesContract.addSequences, addSequences),
  bindWrite(experimentsLabContract.rejectExperiment, rejectExperiment),
  bindWrite(experimentsLabContract.cancelExperimentByStaff, cancelExperimentByStaff),
];

/** `POST /experiments/import`. */
function importExperiment(
  input: Input<typeof experimentsCloneContract.importExperiment>,
  context: WriteContext,
) {
  const { query, body, headers } = input;
  const reading = readSequences(body.content);
  const { antigen_concentrations: series, requested_target: requested, ...rest } = query;
  const concentrations = series === undefined ? undefined : parseConcentrations(series);
  const problems: Problem[] = listLineProblems(reading);
  if (concentrations === null)
    problems.push({
      path: 'antigen_concentrations',
      message: 'must be numbers of nM that are separated by commas',
    });
  const { experiment_type, method, target_id, target, n_replicates, ...envelope } = rest;
  const spec = {
    experiment_type,
    method,
    target_id,
    target,
    n_replicates,
    antigen_concentrations: concentrations,
    requested_target: requested === undefined ? null : { name: requested },
    sequences: listRead(reading),
  };
  return createFrom(
    {
      body: { ...envelope, experiment_spec: spec },
      named: { header: headers['payment-method'], payment: body.payment },
      problems,
      namePath: createPathNamer(reading.records),
    },
    context,
  );
}

/** A file without a readable sequence has a problem on a line; that it has no sequence says nothing more. */
function listRead({ records, problems }: SequenceReading): GivenSequence[] {
  if (records.length === 0 && problems.length > 0) return [nameGiven('(not readable)', 'A')];
  return records.map(({ name, value }) => nameGiven(name, value));
}

/** `POST /sequences`: appends to a draft. */
async function addSequences(input: Input<typeof sequencesContract.addSequences>, context: WriteContext) {
  const { tx } = context;
  const scope = getScope(context.principal);
  const experiment = await lockExperiment(scope, tx, input.body.experiment_code);
  if (experiment === undefined) throw fail('experiment_not_found');
  refuseIfNotEditable(experiment.status, ['sequences']);
  const { limits } = context.site;
  const given = listGiven(input.body.sequences, experiment.sequence_count + 1);
  if (given.length === 0)
    throw createProblemsFailure([{ path: 'sequences', message: 'at least one sequence is needed' }]);
  const total = experiment.sequence_count + given.length;
  refuseIfTooMany(total, limits);
  const { sequences, problems, warnings } = await runInSlices(checkSequences(given, 'sequences', limits));
  if (problems.length > 0) throw createProblemsFailure(problems);
  await runInSlices(addQualityWarnings(warnings, sequences));
  const names = sequences.map((sequence) => sequence.name);
  const [taken] = await selectTakenNames(scope, tx, experiment.id, names);
  if (taken !== undefined) throw fail('duplicate_sequence_name', { name: taken });
  const ids = await appendSequences(context, experiment.id, experiment.sequence_count + 1, sequences);
  const changes: ExperimentChanges = { ...experiment, sequence_count: total };
  await updateExperiment(scope, tx, experiment.id, changes, context.clock.now());
  await refreshDraft(context, tx, scope, { ...experiment, sequence_count: total });
  const groups = warnings.list();
  return {
    added_count: ids.length,
    experiment_code: experiment.code,
    experiment_id: experiment.id,
    sequence_ids: ids,
    ...(groups.length > 0 ? describeWarnings(groups) : {}),
  };
}

/** `POST /lab/experiments/{experiment_id}/reject`: ends an order that nothing is owed for yet. */
async function rejectExperiment(
  input: Input<typeof experimentsLabContract.rejectExperiment>,
  context: WriteContext,
) {
  const experiment = await lockExperiment(labScope, context.tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.setAuditOrganization(experiment.organization_id);
  const { id, status } = experiment;
  if (status !== 'waiting_for_confirmation' && status !== 'quote_sent')
    throw fail('move_not_allowed', { status, action: 'be rejected' });
  const { canceled } = await cancelOrder(context, experiment, {
    reason: input.body.reason,
    refundCents: undefined,
    requestedBy: context.principal.userEmail,
  });
  return {
    experiment_id: id,
    previous_status: status,
    status: canceled.status,
    canceled_at: context.clock.now().toISOString(),
  };
}

/** `POST /lab/experiments/{experiment_id}/cancel`: ends the order, and voids or refunds its invoice. */
async function cancelExperimentByStaff(
  input: Input<typeof experimentsLabContract.cancelExperimentByStaff>,
  context: WriteContext,
) {
  const experiment = await lockExperiment(labScope, context.tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.setAuditOrganization(experiment.organization_id);
  const { canceled, refund, invoice } = await cancelOrder(context, experiment, {
    reason: input.body.reason,
    refundCents: input.body.refund_cents,
    requestedBy: context.principal.userEmail,
  });
  return {
    experiment_id: experiment.id,
    previous_status: experiment.status,
    status: canceled.status,
    canceled_at: context.clock.now().toISOString(),
    invoice_status: invoice?.status ?? null,
    refund,
  };
}

/**
 * `POST /experiments/{experiment_id}/cancel`: a client with `experiment:update` cancels until the quote is accepted.
 * There is no invoice before that, so no money moves. Until the run starts, staff cancel: see `cancel-order.ts`. The
 * states stand in `core/lifecycle.ts`.
 */
export async function cancelExperiment(
  input: Input<typeof experimentsContract.cancelExperiment>,
  context: WriteContext,
) {
  const { tx } = context;
  const scope = getScope(context.principal);
  const experiment = await lockExperiment(scope, tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const reason = input.body.reason ?? undefined;
  const canceled = await transitionExperiment(context, tx, scope, experiment, {
    trigger: 'cancel',
    actor: 'client',
    action: 'be canceled by you',
    ...(reason === undefined ? {} : { description: `Reason: ${reason}` }),
  });
  const quote = await selectLatestQuote(scope, tx, experiment.id);
  if (quote?.status === 'open' || quote?.status === 'draft') {
    await setQuoteStatus(scope, tx, quote.id, {
      from: quote.status,
      to: 'canceled',
      at: context.clock.now(),
    });
    if (quote.status === 'open') {
      await withdrawQuoteAtProcessor(context, tx, quote);
      await addUpdate(context, tx, experiment, {
        event: 'quote.canceled',
        name: 'Quote canceled',
        details: describeQuote(quote, { previous: 'open', current: 'canceled' }),
      });
    }
  }
  return {
    experiment_id: experiment.id,
    previous_status: experiment.status,
    status: canceled.status,
    canceled_at: context.clock.now().toISOString(),
  };
}
