import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { getLabTarget as operation } from './catalog-contract.ts';
import { requireLabTargetJson } from './require-lab-target-json.ts';

/** `GET /lab/targets/{target_id}`. */
export function getLabTarget(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  return requireLabTargetJson(context, context.sql, input.params.target_id);
}
