import type { ReadContext } from '#core/context.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listLabTargets as operation } from './catalog-contract.ts';
import { listLabTargetPage } from './catalog-store.ts';
import { labTargetFields } from './list-fields.ts';
import { LAB_LIST } from '#core/parse-list.ts';

/** `GET /lab/targets`. */
export function listLabTargets(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseListQuery(labTargetFields, input.query, {
    cursors: context.cursors,
    cursorList: LAB_LIST,
  });
  return listLabTargetPage(context.sql, query, context.site.baseUrl);
}
