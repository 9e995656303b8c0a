import { fail } from '#core/failures.ts';
import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import { runInSlices } from '#core/slices.ts';
import type { cancelExperiment, deleteExperiment, modifyExperiment } from '#domain/experiments/contract.ts';
import {
  checkEntries,
  checkName,
  checkWebhookUrl,
  isBindingType,
  numberProblems,
  problemsFailure,
  refuseIfNotEditable,
  refuseIfTooMany,
  CONCENTRATIONS_DEFAULT_NM,
  REPLICATES_DEFAULT,
} from '#domain/experiments/rules.ts';
import {
  deleteExperiment as removeExperiment,
  lockExperiment,
  setWebhookSecret,
  updateExperiment,
  type ExperimentChanges,
  type ExperimentRow,
} from '#domain/experiments/store.ts';
import { latestQuote, setQuoteStatus } from '#domain/quotes/store.ts';
import type { addSequences } from '#domain/sequences/contract.ts';
import type { NewSequence } from '#domain/sequences/rules.ts';
import { deleteSequences, insertSequences, takenNames } from '#domain/sequences/store.ts';
import type { Problem } from '#core/failures.ts';
import { advance, announce } from './advance-experiment.ts';
import { endQuoteAtProcessor } from './order-at-processor.ts';
import { refreshDraft } from './prepare-quote.ts';
import { requireTarget } from './price-experiment.ts';

type Changes = Input<typeof modifyExperiment>['body'];

/** `PATCH /experiments/{experiment_id}`: an omitted field is kept, null clears it. */
export async function modifyDraft(input: Input<typeof modifyExperiment>, context: WriteContext) {
  const { tx } = context;
  const scope = scopeOf(context.principal);
  const experiment = await lockExperiment(scope, tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const given = Object.entries(input.body).filter(([, value]) => value !== undefined);
  const fields = given.map(([field]) => field);
  if (fields.length === 0)
    return { id: experiment.id, updated: false, message: 'Nothing was given to change.' };
  refuseIfNotEditable(experiment.status, fields);
  const { changes, sequences } = await checkedChanges(experiment, input.body, context);
  if (typeof input.body.target_id === 'string')
    await requireTarget(scope, tx, input.body.target_id, 'target_id');
  await updateExperiment(scope, tx, experiment.id, changes, context.clock.now());
  if (input.body.webhook_secret !== undefined) {
    await setWebhookSecret(scope, tx, experiment.id, input.body.webhook_secret);
  }
  if (sequences !== null) {
    await deleteSequences(scope, tx, experiment.id);
    await appendSequences(context, experiment.id, 1, sequences);
  }
  const changed = await lockExperiment(scope, tx, experiment.id);
  if (changed?.status === 'draft') await refreshDraft(context, tx, scope, changed);
  return { id: experiment.id, updated: true };
}

async function checkedChanges(
  experiment: ExperimentRow,
  body: Changes,
  context: WriteContext,
): Promise<{ changes: ExperimentChanges; sequences: readonly NewSequence[] | null }> {
  const { limits } = context.site;
  const problems: Problem[] = [
    ...(typeof body.name === 'string' ? checkName(body.name) : []),
    ...(body.name === null ? [{ path: 'name', message: 'cannot be cleared' }] : []),
    ...checkWebhookUrl(body.webhook_url),
    ...numberProblems(experiment.experiment_type, body, ''),
  ];
  if (typeof body.target_id === 'string' && !isBindingType(experiment.experiment_type)) {
    problems.push({ path: 'target_id', message: `${experiment.experiment_type} takes no target` });
  }
  let sequences: readonly NewSequence[] | null = null;
  if (body.sequences !== undefined) {
    const entries = body.sequences ?? [];
    refuseIfTooMany(entries.length, limits);
    const checked = await runInSlices(checkEntries(entries, limits, 1));
    problems.push(...checked.problems);
    sequences = checked.sequences;
  }
  if (problems.length > 0) throw problemsFailure(problems);
  const kept = <T>(given: T | undefined, present: T): T => (given === undefined ? present : given);
  const changes: ExperimentChanges = {
    name: body.name ?? experiment.name,
    description: kept(body.description, experiment.description),
    target_id: kept(body.target_id, experiment.target_id),
    // A target of the catalogue takes the place of one that was only asked for.
    requested_target: typeof body.target_id === 'string' ? null : experiment.requested_target,
    n_replicates:
      body.n_replicates === null ? REPLICATES_DEFAULT : kept(body.n_replicates, experiment.n_replicates),
    antigen_concentrations_nm: changedSeries(experiment, body),
    parameters: kept(body.parameters, experiment.parameters),
    sequence_count: sequences?.length ?? experiment.sequence_count,
    webhook_url: kept(body.webhook_url, experiment.webhook_url),
  };
  return { changes, sequences };
}

function changedSeries(experiment: ExperimentRow, body: Changes): readonly number[] | null {
  if (body.antigen_concentrations === undefined) return experiment.antigen_concentrations_nm;
  if (experiment.experiment_type !== 'affinity') return null;
  return body.antigen_concentrations ?? CONCENTRATIONS_DEFAULT_NM;
}

/** `POST /sequences`: appends to a draft. */
export async function addToDraft(input: Input<typeof addSequences>, context: WriteContext) {
  const { tx } = context;
  const scope = scopeOf(context.principal);
  const experiment = await lockExperiment(scope, tx, input.body.experiment_code);
  if (experiment === undefined) throw fail('experiment_not_found');
  refuseIfNotEditable(experiment.status, ['sequences']);
  const { limits } = context.site;
  const total = experiment.sequence_count + input.body.sequences.length;
  refuseIfTooMany(total, limits);
  const firstNumber = experiment.sequence_count + 1;
  const checked = await runInSlices(checkEntries(input.body.sequences, limits, firstNumber));
  if (checked.problems.length > 0) throw problemsFailure(checked.problems);
  const names = checked.sequences.map((sequence) => sequence.name);
  const [taken] = await takenNames(scope, tx, experiment.id, names);
  if (taken !== undefined) throw fail('duplicate_sequence_name', { name: taken });
  const ids = await appendSequences(context, experiment.id, experiment.sequence_count + 1, checked.sequences);
  const changes: ExperimentChanges = { ...experiment, sequence_count: total };
  await updateExperiment(scope, tx, experiment.id, changes, context.clock.now());
  await refreshDraft(context, tx, scope, { ...experiment, sequence_count: total });
  return {
    added_count: ids.length,
    experiment_code: experiment.code,
    experiment_id: experiment.id,
    sequence_ids: ids,
    ...(checked.warnings.length > 0 ? { warnings: checked.warnings } : {}),
  };
}

async function appendSequences(
  context: WriteContext,
  experimentId: string,
  firstOrdinal: number,
  sequences: readonly NewSequence[],
): Promise<string[]> {
  const ids = sequences.map(() => context.ids.uuid());
  const into = { experimentId, firstOrdinal, createdAt: context.clock.now() };
  await insertSequences(scopeOf(context.principal), context.tx, into, sequences, ids);
  return ids;
}

/** `POST /experiments/{experiment_id}/cancel`: the client's way out before the quote is accepted. */
export async function cancelBeforeConfirmation(input: Input<typeof cancelExperiment>, context: WriteContext) {
  const { tx } = context;
  const scope = scopeOf(context.principal);
  const experiment = await lockExperiment(scope, tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const reason = input.body.reason ?? undefined;
  const canceled = await advance(context, tx, scope, experiment, {
    trigger: 'cancel',
    actor: 'client',
    attempt: 'be canceled by you',
    ...(reason === undefined ? {} : { description: `Reason: ${reason}` }),
  });
  const quote = await latestQuote(scope, tx, experiment.id);
  if (quote?.status === 'open' || quote?.status === 'draft') {
    await setQuoteStatus(scope, tx, quote.id, {
      from: quote.status,
      to: 'canceled',
      at: context.clock.now(),
    });
    if (quote.status === 'open') {
      await endQuoteAtProcessor(context, tx, quote);
      await announce(context, tx, experiment, { type: 'quote', name: 'Quote canceled' });
    }
  }
  return {
    experiment_id: experiment.id,
    previous_status: experiment.status,
    status: canceled.status,
    canceled_at: context.clock.now().toISOString(),
  };
}

/** `DELETE /experiments/{experiment_id}`: a draft leaves without a trace but its audit row. */
export async function deleteDraft(input: Input<typeof deleteExperiment>, context: WriteContext) {
  const scope = scopeOf(context.principal);
  const experiment = await lockExperiment(scope, context.tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  if (experiment.status !== 'draft') throw fail('experiment_deletion_refused', { status: experiment.status });
  await removeExperiment(scope, context.tx, experiment.id);
  return null;
}
