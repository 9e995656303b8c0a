import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listUpdates as operation } from './contract.ts';
import { updateFields } from './list-fields.ts';
import { getLastUpdateId, listUpdatePage } from './store.ts';
import { parseRound } from './parse-round.ts';

/** `GET /updates`: lists the updates of the caller's organization. */
export async function listUpdates(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const scope = getScope(context.principal);
  const findLastId = () => getLastUpdateId(scope, context.sql);
  const page = await parseRound(context, updateFields, input.query, { findLastId });
  return listUpdatePage(scope, context.sql, page, null);
}
