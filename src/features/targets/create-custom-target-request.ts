import type { WriteContext } from '#core/context.ts';
import { createInvalidFieldsFailure, fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { createCustomTargetRequest as operation } from './request-contract.ts';
import { insertFact } from '../notifications/notice-store.ts';
import { checkTargetRequest, REQUESTED_ALREADY } from './request-rules.ts';
import { insertTargetRequest } from './store.ts';

/** `POST /targets/request-custom`: requests a target that the catalog does not have. */
export async function createCustomTargetRequest(input: Input<typeof operation>, context: WriteContext) {
  const { request, problems } = checkTargetRequest(input.body, context.site.limits);
  const [head] = problems;
  if (head !== undefined)
    throw fail('invalid_request', { reason: `${head.path}: ${head.message}.` }, { problems });
  const id = context.ids.createUuid();
  const createdAt = context.clock.now();
  const { name, product_id: productId, ...details } = request;
  const isNew = await insertTargetRequest(getScope(context.principal), context.tx, {
    id,
    experimentId: null,
    name,
    productId,
    request: details,
    createdAt,
  });
  if (!isNew) throw createInvalidFieldsFailure([{ path: 'product_id', message: REQUESTED_ALREADY }]);
  await insertFact(getScope(context.principal), context.tx, {
    id,
    kind: 'target.requested',
    experimentCode: null,
    details: { subject: name },
    at: createdAt,
  });
  return { id, status: 'pending_review' as const, created_at: createdAt.toISOString() };
}
