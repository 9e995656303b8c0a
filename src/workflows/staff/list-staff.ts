/**
 * This folder: who is of the staff of the lab. Not here: appointments by the operator (`workflows/organizations`).
 */
import type { ReadContext } from '#core/context.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listStaff as operation } from '#domain/staff/contract.ts';
import { staffFields } from '#domain/staff/list-fields.ts';
import { listStaffPage } from '#domain/staff/store.ts';
import { LAB_LIST } from '../lists/parse-list.ts';

/** `GET /lab/staff`. */
export function listStaff(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseListQuery(staffFields, input.query, {
    reserved: [],
    cursors: context.cursors,
    cursorList: LAB_LIST,
  });
  return listStaffPage(labScope, context.sql, query);
}
