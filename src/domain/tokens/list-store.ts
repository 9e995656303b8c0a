import { listFields, type ListQuery } from '#core/filter/index.ts';
import { listPage, wireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

export const tokenFields = listFields({
  name: 'tokens',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 't.id' },
    name: { kind: 'text', sql: 't.name', search: true },
    kind: { kind: 'enum', sql: 't.kind', values: ['root', 'attenuated'] },
    role: { kind: 'text', sql: 't.role' },
    created_at: { kind: 'timestamp', sql: 't.created_at' },
    expires_at: { kind: 'timestamp', sql: 't.expires_at', nullable: true },
    revoked_at: { kind: 'timestamp', sql: 't.revoked_at', nullable: true },
  },
});

/** The tokens of one person within one organization. */
export function listTokenPage(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
  userId: string,
): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `t.id, t.name, t.kind, t.token_type, t.role, ${wireTime('t.created_at')} as created_at,
        ${wireTime('t.expires_at')} as expires_at, ${wireTime('t.revoked_at')} as revoked_at, t.parent_token_id,
        t.root_token_id, t.attenuation_spec`,
      from: 'tokens t',
      alias: 't',
      where: 't.organization_id = $1 and t.user_id = $2',
      values: [scope.organizationId, userId],
    },
    query,
  );
}
