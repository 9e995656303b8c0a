import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { getUpdate as operation } from './contract.ts';
import { findUpdateJson } from './store.ts';

/** `GET /updates/{update_id}`: one update. */
export async function getUpdate(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const update = await findUpdateJson(getScope(context.principal), context.sql, input.params.update_id);
  if (update === undefined) throw fail('update_not_found');
  return update;
}
