import type { ReadContext } from '#core/context.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listStaff as operation } from './contract.ts';
import { staffFields } from './list-fields.ts';
import { listStaffPage } from './store.ts';
import { LAB_LIST } from '#core/parse-list.ts';

/** `GET /lab/staff`. */
export function listStaff(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseListQuery(staffFields, input.query, {
    reserved: [],
    cursors: context.cursors,
    cursorList: LAB_LIST,
  });
  return listStaffPage(labScope, context.sql, query);
}
