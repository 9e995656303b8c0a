import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { getLabTargetRequest as operation } from '#features/targets/answer-contract.ts';
import { requireTargetRequestJson } from './answer-target-request.ts';

/** `GET /lab/target-requests/{request_id}`: a target request of any organization. */
export function getLabTargetRequest(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  return requireTargetRequestJson(context.sql, input.params.request_id);
}
