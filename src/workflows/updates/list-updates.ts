/**
 * This folder: reading the feed. Not here: writing it, which goes with what it tells of.
 */
import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listUpdates as operation } from '#domain/updates/contract.ts';
import { updateFields } from '#domain/updates/list-fields.ts';
import { listUpdatePage } from '#domain/updates/store.ts';
import { parseList } from '../lists/parse-list.ts';

export function listUpdates(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, updateFields, input.query);
  return listUpdatePage(getScope(context.principal), context.sql, query, null);
}
