import type { ReadContext } from '#core/context.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listLabTargetRequests as operation } from './answer-contract.ts';
import { listLabTargetRequestPage } from './answer-store.ts';
import { labTargetRequestFields } from './list-fields.ts';
import { LAB_LIST } from '#core/parse-list.ts';

/** `GET /lab/target-requests`: lists the target requests of all organizations. */
export function listLabTargetRequests(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parseListQuery(labTargetRequestFields, input.query, {
    cursors: context.cursors,
    cursorList: LAB_LIST,
  });
  return listLabTargetRequestPage(labScope, context.sql, query);
}
