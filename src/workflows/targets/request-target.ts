/** Requests for targets that the catalogue does not have. */
import type { ReadContext, WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import { RawJson } from '#core/raw-json.ts';
import type {
  createCustomTargetRequest,
  getCustomTargetRequest,
  listCustomTargetRequests,
} from '#domain/targets/request-contract.ts';
import { checkTargetRequest } from '#domain/targets/request-rules.ts';
import { targetRequestFields } from '#domain/targets/list-fields.ts';
import { findTargetRequestJson, listTargetRequestPage } from '#domain/targets/request-store.ts';
import { insertTargetRequest } from '#domain/targets/store.ts';

export async function requestCustomTarget(
  input: Input<typeof createCustomTargetRequest>,
  context: WriteContext,
) {
  const { request, problems } = checkTargetRequest(input.body, context.site.limits);
  const [head] = problems;
  if (head !== undefined)
    throw fail('invalid_request', { reason: `${head.path}: ${head.message}.` }, { problems });
  const id = context.ids.uuid();
  const createdAt = context.clock.now();
  const { name, product_id: productId, ...details } = request;
  await insertTargetRequest(scopeOf(context.principal), context.tx, {
    id,
    experimentId: null,
    name,
    productId,
    request: details,
    createdAt,
  });
  return { id, status: 'pending_review' as const, created_at: createdAt.toISOString() };
}

export function customTargetRequests(
  input: Input<typeof listCustomTargetRequests>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parseListQuery(targetRequestFields, input.query, {
    cursors: context.cursors,
    cursorBinding: context.principal.organizationId,
  });
  return listTargetRequestPage(scopeOf(context.principal), context.sql, query);
}

export async function customTargetRequest(
  input: Input<typeof getCustomTargetRequest>,
  context: ReadContext,
): Promise<RawJson> {
  const json = await findTargetRequestJson(scopeOf(context.principal), context.sql, input.params.request_id);
  if (json === undefined) throw fail('custom_target_request_not_found');
  return new RawJson(json);
}
