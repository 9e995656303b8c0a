import type { ReadContext } from '#core/context.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listLabAssayTypes as operation } from './contract.ts';
import { labAssayTypeFields } from './list-fields.ts';
import { listAssayTypePage } from './store.ts';
import { LAB_LIST } from '#core/parse-list.ts';

/** `GET /lab/assay-types`. */
export function listLabAssayTypes(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseListQuery(labAssayTypeFields, input.query, {
    cursors: context.cursors,
    cursorList: LAB_LIST,
  });
  return listAssayTypePage(context.sql, query);
}
