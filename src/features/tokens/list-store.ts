import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import { getOrganizationId, type Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

/**
 * Lists the tokens of one person within one organization; in the scope of the lab and without a person, all tokens.
 */
export function listTokenPage(
  scope: Scope,
  sql: Sql,
  query: ListQuery,
  userId: string | null,
): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `t.id, t.name, t.kind, t.token_type, t.role, ${writeWireTime('t.created_at')} as created_at,
        ${writeWireTime('t.expires_at')} as expires_at, ${writeWireTime('t.revoked_at')} as revoked_at,
        ${writeWireTime('t.last_used_at')} as last_used_at, t.parent_token_id,
        t.root_token_id, t.attenuation_spec, t.user_id, t.organization_id`,
      from: 'tokens t',
      alias: 't',
      where: '($1::uuid is null or t.organization_id = $1) and ($2::uuid is null or t.user_id = $2)',
      values: [getOrganizationId(scope), userId],
    },
    query,
  );
}
