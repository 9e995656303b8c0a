import { listFields, type ListQuery } from '#core/filter/index.ts';
import { listPage, wireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { actorKinds } from './rules.ts';

const ownFields = {
  id: { kind: 'uuid', sql: 'a.id' },
  created_at: { kind: 'timestamp', sql: 'a.created_at' },
  actor_kind: { kind: 'enum', sql: 'a.actor_kind', values: actorKinds },
  actor: { kind: 'text', sql: 'a.actor', search: true },
  user_id: { kind: 'uuid', sql: 'a.user_id', nullable: true },
  token_id: { kind: 'uuid', sql: 'a.token_id', nullable: true },
  operation: { kind: 'text', sql: 'a.operation_id', search: true },
  subject: { kind: 'text', sql: 'a.subject', nullable: true, search: true },
  status: { kind: 'int', sql: 'a.status' },
  request_id: { kind: 'text', sql: 'a.request_id', nullable: true },
  address: { kind: 'text', sql: 'a.address', nullable: true },
  position: { kind: 'int', sql: 'a.chain_position', nullable: true },
} as const;

export const auditFields = listFields({
  name: 'audit entries',
  key: 'id',
  defaultSort: '-created_at',
  fields: ownFields,
});

export const allAuditFields = listFields({
  name: 'audit entries of all organizations',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    ...ownFields,
    organization_id: { kind: 'uuid', sql: 'a.organization_id' },
    organization_name: { kind: 'text', sql: 'o.name', nullable: true, search: true },
  },
});

const ITEM = `a.id, ${wireTime('a.created_at')} as created_at, a.actor_kind, a.actor, a.user_id, a.token_id, a.token_path,
  a.operation_id as operation, a.subject, a.status, a.details, a.request_id, a.address, a.chain_position as position,
  a.prev_hash, a.hash`;

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

/** Of every organization, and of the installation, which has no name. */
export function listAllAuditPage(_lab: LabScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `${ITEM}, a.organization_id, o.name as organization_name`,
      from: 'audit_log a',
      alias: 'a',
      joins: [{ alias: 'o', sql: 'left join organizations o on o.id = a.organization_id' }],
      where: 'true',
      values: [],
    },
    query,
  );
}
