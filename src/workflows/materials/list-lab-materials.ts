import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listLabMaterials as operation } from '#domain/materials/contract.ts';
import { neededFields } from '#domain/materials/list-fields.ts';
import { formatDay } from '#domain/materials/rules.ts';
import { listNeededPage } from '#domain/materials/store.ts';
import { LAB_LIST, parseList } from '../lists/parse-list.ts';

/** `GET /lab/materials`. */
export function listLabMaterials(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, neededFields, input.query, [], LAB_LIST);
  return listNeededPage(labScope, context.sql, query, formatDay(context.clock.now()));
}
