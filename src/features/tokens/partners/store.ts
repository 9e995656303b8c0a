import type { OrganizationScope } from '#core/scope.ts';
import { requireOperator, type Grant } from '#core/grants.ts';
import type { Sql } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';

/** Returns false when the person was a partner already. */
export async function addPartner(
  scope: OrganizationScope,
  sql: Sql,
  grant: Grant,
  partner: { readonly userId: string; readonly at: Date },
): Promise<boolean> {
  requireOperator(grant);
  const rows = await sql.query(
    ...insertInto(
      'partners',
      { user_id: partner.userId, organization_id: scope.organizationId, created_at: partner.at },
      'on conflict do nothing returning user_id',
    ),
  );
  return rows.length > 0;
}

/** Records that an organization came through the partner of this scope. */
export async function insertPartnerOrganization(
  partner: OrganizationScope,
  sql: Sql,
  made: { readonly organizationId: string; readonly domain: string | null; readonly at: Date },
): Promise<void> {
  await sql.query(
    ...insertInto('partner_organizations', {
      organization_id: made.organizationId,
      partner_organization_id: partner.organizationId,
      domain: made.domain,
      created_at: made.at,
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
