import type { ReadContext } from '#core/context.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listAllAudit as operation } from './contract.ts';
import { allAuditFields } from './list-fields.ts';
import { listAllAuditPage } from './list-store.ts';
import { LAB_LIST } from '#core/parse-list.ts';

/** `GET /lab/audit`: lists who changed what in every organization, and in the installation itself. */
export function listAllAudit(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseListQuery(allAuditFields, input.query, {
    cursors: context.cursors,
    cursorList: LAB_LIST,
  });
  return listAllAuditPage(labScope, context.sql, query);
}
