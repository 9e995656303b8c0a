import { listFields, type ListQuery } from '#core/filter/index.ts';
import { listPage, wireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

export const auditFields = listFields({
  name: 'audit entries',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 'a.id' },
    created_at: { kind: 'timestamp', sql: 'a.created_at' },
    actor: { kind: 'text', sql: 'a.actor', search: true },
    user_id: { kind: 'uuid', sql: 'a.user_id', nullable: true },
    token_id: { kind: 'uuid', sql: 'a.token_id', nullable: true },
    operation: { kind: 'text', sql: 'a.operation_id', search: true },
    subject: { kind: 'text', sql: 'a.subject', nullable: true, search: true },
    status: { kind: 'int', sql: 'a.status' },
    request_id: { kind: 'text', sql: 'a.request_id', nullable: true },
    address: { kind: 'text', sql: 'a.address', nullable: true },
    position: { kind: 'int', sql: 'a.chain_position', nullable: true },
  },
});

export function listAuditPage(scope: OrganizationScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `a.id, ${wireTime('a.created_at')} as created_at, a.actor, a.user_id, a.token_id, a.token_path,
        a.operation_id as operation, a.subject, a.status, a.request_id, a.address, a.chain_position as position,
        a.prev_hash, a.hash`,
      from: 'audit_log a',
      alias: 'a',
      where: 'a.organization_id = $1',
      values: [scope.organizationId],
    },
    query,
  );
}
