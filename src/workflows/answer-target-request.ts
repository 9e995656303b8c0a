/** The lab answers a request for a target; the experiment that asked goes on with the answer. */
import type { ReadContext, WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import { RawJson } from '#core/raw-json.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { lockExperiment, setTarget, type ExperimentRow } from '#domain/experiments/store.ts';
import type {
  approveTargetRequest,
  declineTargetRequest,
  getLabTargetRequest,
  listLabTargetRequests,
} from '#domain/targets/answer-contract.ts';
import {
  answerTargetRequest,
  findLabTargetRequestJson,
  findTargetRequest,
  labTargetRequestFields,
  listLabTargetRequestPage,
  lockTargetRequest,
  type TargetRequestRow,
} from '#domain/targets/answer-store.ts';
import { answerProblems, customTarget } from '#domain/targets/answer-rules.ts';
import { findTarget, insertTarget } from '#domain/targets/store.ts';
import { announce } from './advance-experiment.ts';
import { openQuote, refreshDraft, sendQuote } from './prepare-quote.ts';
import { requireTarget } from './price-experiment.ts';

export function targetRequestsOfAll(
  input: Input<typeof listLabTargetRequests>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parseListQuery(labTargetRequestFields, input.query, {
    cursors: context.cursors,
    cursorBinding: 'lab',
  });
  return listLabTargetRequestPage(labScope, context.sql, query);
}

export function targetRequestOfAny(
  input: Input<typeof getLabTargetRequest>,
  context: ReadContext,
): Promise<RawJson> {
  return shown(context.sql, input.params.request_id);
}

async function shown(sql: Sql, id: string): Promise<RawJson> {
  const json = await findLabTargetRequestJson(labScope, sql, id);
  if (json === undefined) throw fail('custom_target_request_not_found');
  return new RawJson(json);
}

/** `POST /lab/target-requests/{request_id}/approve`. */
export async function approveRequest(input: Input<typeof approveTargetRequest>, context: WriteContext) {
  const { tx } = context;
  refuseProblems(input.body);
  const { request, experiment } = await lockPending(context, input.params.request_id);
  const targetId = await targetOf(input.body, context, request);
  const { lead_time_days: leadTimeDays, note = null } = input.body;
  await answerTargetRequest(organizationScope(request.organization_id), tx, request.id, {
    status: 'approved',
    targetId,
    leadTimeDays,
    answer: note,
    userId: context.principal.userId,
    at: context.clock.now(),
  });
  if (experiment !== undefined) await continueWith(context, experiment, request, targetId, leadTimeDays);
  return shown(tx, request.id);
}

/** `POST /lab/target-requests/{request_id}/decline`. */
export async function declineRequest(input: Input<typeof declineTargetRequest>, context: WriteContext) {
  const { tx } = context;
  const reason = input.body.reason.trim();
  if (reason === '') refuse('reason', 'must not be blank');
  const { request, experiment } = await lockPending(context, input.params.request_id);
  await answerTargetRequest(organizationScope(request.organization_id), tx, request.id, {
    status: 'rejected',
    targetId: null,
    leadTimeDays: null,
    answer: reason,
    userId: context.principal.userId,
    at: context.clock.now(),
  });
  if (experiment !== undefined)
    await announce(context, tx, experiment, {
      type: 'progress',
      name: 'Target declined',
      description: `${request.name}: ${reason}`,
    });
  return shown(tx, request.id);
}

function refuseProblems(body: Input<typeof approveTargetRequest>['body']): void {
  const [problem] = answerProblems(body);
  if (problem !== undefined) refuse(problem.path, problem.message);
}

function refuse(path: string, message: string): never {
  throw fail('invalid_request', { reason: `${path}: ${message}.` }, { problems: [{ path, message }] });
}

interface Pending {
  readonly request: TargetRequestRow;
  readonly experiment: ExperimentRow | undefined;
}

/** Experiment first, then what belongs to it: the order in which everything else takes these locks. */
async function lockPending(context: WriteContext, id: string): Promise<Pending> {
  const { tx } = context;
  const known = await findTargetRequest(labScope, tx, id);
  if (known === undefined) throw fail('custom_target_request_not_found');
  context.concern(known.organization_id);
  const experiment =
    known.experiment_id === null ? undefined : await lockExperiment(labScope, tx, known.experiment_id);
  const request = await lockTargetRequest(labScope, tx, id);
  if (request === undefined) throw fail('custom_target_request_not_found');
  if (request.status !== 'pending_review')
    throw fail('custom_target_request_answered', { status: request.status });
  return { request, experiment };
}

async function targetOf(
  { target_id: targetId, target }: Input<typeof approveTargetRequest>['body'],
  { tx, ids, clock }: WriteContext,
  request: TargetRequestRow,
): Promise<string> {
  const scope = organizationScope(request.organization_id);
  if (targetId !== undefined) return (await requireTarget(scope, tx, targetId, 'target_id')).id;
  const entry = customTarget(request, target ?? {}, { id: ids.uuid(), createdAt: clock.now() });
  if (!(await insertTarget(tx, entry))) throw fail('target_exists', { catalog_number: entry.catalogNumber });
  return entry.id;
}

/** An experiment that is not quoted yet and still asks for this target is measured against it from now on. */
async function continueWith(
  context: WriteContext,
  experiment: ExperimentRow,
  request: TargetRequestRow,
  targetId: string,
  leadTimeDays: number,
): Promise<void> {
  const { tx } = context;
  const scope = organizationScope(request.organization_id);
  const target = await findTarget(scope, tx, targetId);
  const days = leadTimeDays === 1 ? '1 day' : `${leadTimeDays} days`;
  await announce(context, tx, experiment, {
    type: 'progress',
    name: 'Target approved',
    description: `${target?.name ?? request.name}; it is in the lab ${days} after it is ordered.`,
  });
  const isOpen = experiment.status === 'draft' || experiment.status === 'waiting_for_confirmation';
  if (!isOpen || experiment.target_id !== null) return;
  await setTarget(scope, tx, experiment.id, targetId, context.clock.now());
  const linked = { ...experiment, target_id: targetId, requested_target: null };
  const { quoteId } = await refreshDraft(context, tx, scope, linked);
  if (linked.status === 'draft' || quoteId === undefined) return;
  await openQuote(context, tx, scope, linked, quoteId);
  await sendQuote(context, tx, scope, linked);
}
