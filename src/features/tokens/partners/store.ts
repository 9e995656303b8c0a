import type { OrganizationScope } from '#core/scope.ts';
import { requireOperator, type Grant } from '#core/grants.ts';
import { type Sql, getFirst, type Transaction } from '#core/sql.ts';
import { insertInto, insertOwned } from '#core/write-rows.ts';
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { Role } from '#core/permissions.ts';
import type { RawJson } from '#core/reply.ts';

/** Returns false when the person was a partner already. */
export async function addPartner(
  scope: OrganizationScope,
  sql: Sql,
  grant: Grant,
  partner: { readonly user_id: string; readonly at: Date },
): Promise<boolean> {
  requireOperator(grant);
  const rows = await sql.query(
    ...insertOwned(
      scope,
      'partners',
      { user_id: partner.user_id, created_at: partner.at },
      'on conflict do nothing returning user_id',
    ),
  );
  return rows.length > 0;
}

/** Records that an organization came through the partner of this scope. */
export async function insertPartnerOrganization(
  partner: OrganizationScope,
  sql: Sql,
  { at, ...made }: { readonly organization_id: string; readonly domain: string | null; readonly at: Date },
): Promise<void> {
  await sql.query(
    ...insertInto('partner_organizations', {
      ...made,
      partner_organization_id: partner.organizationId,
      created_at: at,
    }),
  );
}

export async function isOwnClient(
  partner: OrganizationScope,
  sql: Sql,
  organizationId: string,
): Promise<boolean> {
  const rows = await sql.query(
    `select 1 from partner_organizations where organization_id = $1 and partner_organization_id = $2`,
    [organizationId, partner.organizationId],
  );
  return rows.length > 0;
}

/** The tokens that a partner minted. They belong to the organizations of its clients. */
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
