import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listAllUpdates as operation } from './shared-contract.ts';
import { sharedUpdateFields } from './list-fields.ts';
import { getLastUpdateId, listAllUpdatePage } from './store.ts';
import { LAB_LIST } from '#core/parse-list.ts';
import { parseRound } from './parse-round.ts';

/** `GET /lab/updates`: lists the updates of every organization. */
export async function listAllUpdates(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const findLastId = () => getLastUpdateId(labScope, context.sql);
  const source = { findLastId, listName: LAB_LIST };
  const page = await parseRound(context, sharedUpdateFields, input.query, source);
  return listAllUpdatePage(labScope, context.sql, page);
}
