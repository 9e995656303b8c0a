import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { RawJson } from '#core/raw-json.ts';
import type { getTargetInfo as operation } from './contract.ts';
import { findTargetJson } from './store.ts';

/** `GET /targets/{target_id}`: one target of the catalog with its details. */
export async function getTargetInfo(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const { site, sql, principal } = context;
  const json = await findTargetJson(getScope(principal), sql, input.params.target_id, site.baseUrl);
  if (json === undefined) throw fail('target_not_found');
  return new RawJson(json);
}
