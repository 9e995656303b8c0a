import type { ReadContext } from '#core/context.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listAudit as operation } from './contract.ts';
import { auditFields } from './list-fields.ts';
import { listAuditPage } from './list-store.ts';

/** `GET /audit`: lists who changed what in the caller's organization. */
export function listAudit(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseListQuery(auditFields, input.query, {
    cursors: context.cursors,
    cursorList: context.principal.organizationId,
  });
  return listAuditPage(getScope(context.principal), context.sql, query);
}
