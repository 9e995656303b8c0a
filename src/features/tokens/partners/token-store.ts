/** The tokens that a partner minted. They belong to the organizations of its clients. */
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { Role } from '#core/permissions.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';

export function listPartnerTokenPage(
  partner: OrganizationScope,
  sql: Sql,
  query: ListQuery,
): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `t.id, t.name, t.role, t.user_id, u.email as user_email, t.organization_id, o.name as organization_name,
        ${writeWireTime('t.created_at')} as created_at, ${writeWireTime('t.expires_at')} as expires_at,
        ${writeWireTime('t.revoked_at')} as revoked_at, n.id as renewed_by`,
      from: 'tokens t',
      alias: 't',
      joins: [
        { alias: 'u', sql: 'join users u on u.id = t.user_id' },
        { alias: 'o', sql: 'join organizations o on o.id = t.organization_id' },
        { alias: 'n', sql: 'left join tokens n on n.renews_token_id = t.id' },
      ],
      where: 't.partner_organization_id = $1',
      values: [partner.organizationId],
    },
    query,
  );
}

export interface PartnerToken {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly user_id: string;
  readonly organization_id: string;
  /** The current role of its holder there; null when the person has left. */
  readonly member_role: Role | null;
  /** The token that replaced it. */
  readonly renewed_by: string | null;
}

/**
 * Locks a minted token, so that it is renewed once. A statement of its own then reads what another renewal may have
 * committed meanwhile.
 */
export async function lockPartnerToken(
  partner: OrganizationScope,
  tx: Transaction,
  tokenId: string,
): Promise<PartnerToken | undefined> {
  await tx.query(`select id from tokens where id = $2 and partner_organization_id = $1 for no key update`, [
    partner.organizationId,
    tokenId,
  ]);
  return getFirst(
    await tx.query<PartnerToken>(
      `select t.id, t.name, t.role, t.user_id, t.organization_id, m.role as member_role, n.id as renewed_by
       from tokens t
       left join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
       left join tokens n on n.renews_token_id = t.id
       where t.id = $2 and t.partner_organization_id = $1`,
      [partner.organizationId, tokenId],
    ),
  );
}
