import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

const ITEM = `a.id, ${writeWireTime('a.created_at')} as created_at, a.actor_kind, a.actor, a.user_id, a.token_id, a.token_path,
  a.operation_id as operation, a.subject, a.status, a.details, a.request_id, a.address, a.chain_position as position,
  a.prev_hash, a.hash, a.hash_version, a.organization_id, a.details::text as details_text,
  case when a.hash is not null and a.hash_version = 1 then a.sequence end as sequence`;

export function listAuditPage(scope: OrganizationScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: ITEM,
      from: 'audit_log a',
      alias: 'a',
      where: 'a.organization_id = $1',
      values: [scope.organizationId],
    },
    query,
  );
}

/** Lists the entries of all organizations and of the installation, whose `organization_name` is null. */
export function listAllAuditPage(_lab: LabScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `${ITEM}, o.name as organization_name`,
      from: 'audit_log a',
      alias: 'a',
      joins: [{ alias: 'o', sql: 'left join organizations o on o.id = a.organization_id' }],
      where: 'true',
      values: [],
    },
    query,
  );
}
