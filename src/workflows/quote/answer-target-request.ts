/** The lab answers a request for a target; the experiment that asked continues with the answer. */
import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { RawJson } from '#core/raw-json.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { insertFact } from '#features/notifications/notice-store.ts';
import { lockExperiment, type ExperimentRow } from '#features/experiments/store.ts';
import {
  findLabTargetRequestJson,
  findTargetRequest,
  lockTargetRequest,
  type TargetRequestRow,
} from '#features/targets/answer-store.ts';

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
    experimentCode: null,
    details: { subject: name, target_request_id: id, sentence },
    at: clock.now(),
  });
}
