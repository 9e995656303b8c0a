import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listLabMaterials as operation } from './contract.ts';
import { neededFields } from './list-fields.ts';
import { formatDay } from './rules.ts';
import { listNeededPage } from './store.ts';
import { LAB_LIST, parseList } from '#core/parse-list.ts';

/** `GET /lab/materials`. */
export function listLabMaterials(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, neededFields, input.query, [], LAB_LIST);
  return listNeededPage(labScope, context.sql, query, formatDay(context.clock.now()));
}
