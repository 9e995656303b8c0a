import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { RawJson } from '#core/raw-json.ts';
import type { getCustomTargetRequest as operation } from './request-contract.ts';
import { findTargetRequestJson } from './request-store.ts';

/** `GET /targets/request-custom/{request_id}`: one target request of the caller's organization. */
export async function getCustomTargetRequest(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<RawJson> {
  const json = await findTargetRequestJson(getScope(context.principal), context.sql, input.params.request_id);
  if (json === undefined) throw fail('custom_target_request_not_found');
  return new RawJson(json);
}
