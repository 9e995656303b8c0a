import type { WriteContext } from '#core/context.ts';
import { formatCount } from '#core/words.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { setTarget, type ExperimentRow, lockExperiment } from '#features/experiments/store.ts';
import type { approveTargetRequest as operation } from '#features/targets/answer-contract.ts';
import { findAnswerProblems, buildCustomTarget } from '#features/targets/answer-rules.ts';
import {
  answerTargetRequest,
  type TargetRequestRow,
  findLabTargetRequestJson,
  findTargetRequest,
  lockTargetRequest,
} from '#features/targets/request-store.ts';
import { findTarget, insertTarget } from '#features/targets/store.ts';
import { addUpdate } from '#features/experiments/transition-experiment.ts';
import { requireTarget } from '#features/experiments/price-experiment.ts';
import { readCurrentTerms } from '#features/billing/billing-profile.ts';
import { openQuote, refreshDraft, sendQuote } from '#features/quotes/prepare-quote.ts';
import { RawJson } from '#core/reply.ts';
import type { Sql } from '#core/sql.ts';
import { insertFact } from '#features/notifications/notice-store.ts';

/** `POST /lab/target-requests/{request_id}/approve`. */
export async function approveTargetRequest(input: Input<typeof operation>, context: WriteContext) {
  const { tx } = context;
  refuseProblems(input.body);
  const { request, experiment } = await lockPendingRequest(context, input.params.request_id);
  const targetId = await resolveTarget(input.body, context, request);
  const { lead_time_days, note = null } = input.body;
  await answerTargetRequest(createOrganizationScope(request.organization_id), tx, request.id, {
    status: 'approved',
    target_id: targetId,
    lead_time_days,
    answer: note,
    user_id: context.principal.userId,
    at: context.clock.now(),
  });
  await tellAnswer(context, request, 'It was approved.');
  if (experiment !== undefined) await continueWith(context, experiment, request, targetId, lead_time_days);
  return requireTargetRequestJson(tx, request.id);
}

function refuseProblems(body: Input<typeof operation>['body']): void {
  const [problem] = findAnswerProblems(body);
  if (problem !== undefined) refuseField(problem.path, problem.message);
}

async function resolveTarget(
  { target_id: targetId, target }: Input<typeof operation>['body'],
  { tx, ids, clock }: WriteContext,
  request: TargetRequestRow,
): Promise<string> {
  const scope = createOrganizationScope(request.organization_id);
  if (targetId !== undefined) return (await requireTarget(scope, tx, targetId, 'target_id')).id;
  const custom = buildCustomTarget(request, target ?? {}, { id: ids.createUuid(), created_at: clock.now() });
  if (!(await insertTarget(tx, custom)))
    throw fail('target_exists', { catalog_number: custom.entry.catalog_number });
  return custom.id;
}

/** Gives the target to the experiment that asked for it, if it still does and has no quote yet. */
async function continueWith(
  context: WriteContext,
  experiment: ExperimentRow,
  request: TargetRequestRow,
  targetId: string,
  leadTimeDays: number,
): Promise<void> {
  const { tx } = context;
  const scope = createOrganizationScope(request.organization_id);
  const target = await findTarget(scope, tx, targetId);
  const days = formatCount(leadTimeDays, 'day');
  await addUpdate(context, tx, experiment, {
    event: 'target.approved',
    name: 'Target approved',
    actor: 'lab',
    description: `${target?.name ?? request.name}; it is in the lab ${days} after it is ordered.`,
  });
  const isOpen = experiment.status === 'draft' || experiment.status === 'waiting_for_confirmation';
  if (!isOpen || experiment.target_id !== null) return;
  await setTarget(scope, tx, experiment.id, targetId, context.clock.now());
  const linked = { ...experiment, target_id: targetId, requested_target: null };
  const terms = await readCurrentTerms(context.site, scope, tx);
  const { quoteId } = await refreshDraft(context, tx, scope, linked, terms.tax);
  if (linked.status === 'draft' || quoteId === undefined) return;
  await openQuote(context, tx, scope, linked, { quoteId, terms });
  await sendQuote(context, tx, scope, linked);
}

/** Throws `custom_target_request_not_found`. */
export async function requireTargetRequestJson(sql: Sql, id: string): Promise<RawJson> {
  const json = await findLabTargetRequestJson(labScope, sql, id);
  if (json === undefined) throw fail('custom_target_request_not_found');
  return new RawJson(json);
}

export function refuseField(path: string, message: string): never {
  throw fail('invalid_request', { reason: `${path}: ${message}.` }, { problems: [{ path, message }] });
}

interface Pending {
  readonly request: TargetRequestRow;
  readonly experiment: ExperimentRow | undefined;
}

/**
 * Locks are always taken on the experiment first, then on its parts. Throws `custom_target_request_not_found` or
 * `custom_target_request_answered`.
 */
export async function lockPendingRequest(context: WriteContext, id: string): Promise<Pending> {
  const { tx } = context;
  const targetRequest = await findTargetRequest(labScope, tx, id);
  if (targetRequest === undefined) throw fail('custom_target_request_not_found');
  context.setAuditOrganization(targetRequest.organization_id);
  const experiment =
    targetRequest.experiment_id === null
      ? undefined
      : await lockExperiment(labScope, tx, targetRequest.experiment_id);
  const request = await lockTargetRequest(labScope, tx, id);
  if (request === undefined) throw fail('custom_target_request_not_found');
  if (request.status !== 'pending_review')
    throw fail('custom_target_request_answered', { status: request.status });
  return { request, experiment };
}

/** Has the members of the organization told that the lab has answered; the feed has only what is about experiments. */
export async function tellAnswer(
  { tx, ids, clock }: WriteContext,
  { id, organization_id: organizationId, name }: TargetRequestRow,
  sentence: string,
): Promise<void> {
  await insertFact(createOrganizationScope(organizationId), tx, {
    id: ids.createUuid(),
    kind: 'target.answered',
    experiment_code: null,
    details: { subject: name, target_request_id: id, sentence },
    at: clock.now(),
  });
}
