import type { ReadContext } from '#core/context.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import { targetRequestFields } from './list-fields.ts';
import type { listCustomTargetRequests as operation } from './request-contract.ts';
import { listTargetRequestPage } from './request-store.ts';

/** `GET /targets/request-custom`: lists the target requests of the caller's organization. */
export function listCustomTargetRequests(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parseListQuery(targetRequestFields, input.query, {
    cursors: context.cursors,
    cursorList: context.principal.organizationId,
  });
  return listTargetRequestPage(getScope(context.principal), context.sql, query);
}
