import type { OrganizationScope } from '#core/scope.ts';
import { requireOperator, type Grant } from '#core/grants.ts';
import type { Sql } from '#core/sql.ts';

/** Returns false when the person was a partner already. */
export async function addPartner(
  scope: OrganizationScope,
  sql: Sql,
  grant: Grant,
  partner: { readonly userId: string; readonly at: Date },
): Promise<boolean> {
  requireOperator(grant);
  const rows = await sql.query(
    `insert into partners (user_id, organization_id, created_at) values ($1, $2, $3)
     on conflict do nothing returning user_id`,
    [partner.userId, scope.organizationId, partner.at],
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
    `insert into partner_organizations (organization_id, partner_organization_id, domain, created_at)
     values ($1, $2, $3, $4)`,
    [made.organizationId, partner.organizationId, made.domain, made.at],
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
