import { computeSecretDigest } from '#core/sealer.ts';
import type { ListQuery } from '#core/filter/index.ts';
import { getGrantedRole, listInvitable, type Grant } from '#core/grants.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { Role } from '#core/permissions.ts';
import type { RawJson } from '#core/reply.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { insertOwned } from '#core/write-rows.ts';
import type { InvitationDelivery } from './contract.ts';

export interface InvitationRow {
  readonly id: string;
  readonly organization_id: string;
  readonly email: string;
  readonly role: Role;
  readonly delivery: InvitationDelivery;
  readonly invited_by_user_id: string;
  readonly created_at: string;
  readonly sent_at: string;
  readonly expires_at: string;
  readonly accepted_at: string | null;
  readonly revoked_at: string | null;
}

/** Whether the sender, who may have left, could send the invitation today. */
const STANDS = `coalesce(m.role || ' ' || i.role = any($3::text[]), false)`;

export function listInvitationPage(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
  at: Date,
): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `i.id, i.email, i.role,
        case when i.accepted_at is not null then 'accepted' when i.revoked_at is not null then 'revoked'
          when i.expires_at <= $2::timestamptz then 'expired' when ${STANDS} then 'open' else 'withdrawn' end as status,
        case when i.accepted_at is null and i.revoked_at is null and i.expires_at > $2::timestamptz and not ${STANDS}
          then case when m.role is null then 'sender_left' else 'sender_role' end end as withdrawn_because,
        i.delivery, i.invited_by_user_id, ${writeWireTime('i.created_at')} as created_at, ${writeWireTime('i.sent_at')} as sent_at,
        ${writeWireTime('i.expires_at')} as expires_at`,
      from: 'invitations i',
      alias: 'i',
      joins: [
        {
          alias: 'm',
          sql: 'left join memberships m on m.organization_id = i.organization_id and m.user_id = i.invited_by_user_id',
        },
      ],
      where: 'i.organization_id = $1 and $2::timestamptz is not null and $3::text[] is not null',
      values: [scope.organizationId, at, listInvitable().map(({ sender, role }) => `${sender} ${role}`)],
    },
    query,
  );
}

export interface NewInvitation {
  readonly id: string;
  readonly email: string;
  readonly secret: string;
  readonly delivery: InvitationDelivery;
  readonly invitedBy: string;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Replaces an expired invitation of the same address. Returns undefined when an open one exists. */
export async function insertInvitation(
  scope: OrganizationScope,
  sql: Sql,
  grant: Grant,
  invitation: NewInvitation,
): Promise<InvitationRow | undefined> {
  const { id, email, secret, delivery, invitedBy, at, expiresAt } = invitation;
  const role = getGrantedRole(scope, grant);
  await sql.query(
    `update invitations set revoked_at = $3
     where organization_id = $1 and email = $2 and accepted_at is null and revoked_at is null and expires_at <= $3`,
    [scope.organizationId, email, at],
  );
  return getFirst(
    await sql.query<InvitationRow>(
      ...insertOwned(
        scope,
        'invitations',
        {
          id,
          email,
          role,
          digest: computeSecretDigest(secret),
          delivery,
          invited_by_user_id: invitedBy,
          created_at: at,
          sent_at: at,
          expires_at: expiresAt,
        },
        'on conflict (organization_id, email) where accepted_at is null and revoked_at is null do nothing returning *',
      ),
    ),
  );
}

export async function lockInvitation(
  scope: OrganizationScope,
  sql: Sql,
  id: string,
): Promise<InvitationRow | undefined> {
  return getFirst(
    await sql.query<InvitationRow>(
      `select * from invitations where organization_id = $1 and id = $2 for no key update`,
      [scope.organizationId, id],
    ),
  );
}

/** The grant must be for the role that the invitation offers. Whoever renews an invitation answers for it from then on. */
export async function renewInvitation(
  scope: OrganizationScope,
  sql: Sql,
  grant: Grant,
  renewal: Omit<NewInvitation, 'email'>,
): Promise<void> {
  await sql.query(
    `update invitations set role = $6, digest = $3, sent_at = $4, expires_at = $5, delivery = $7,
       invited_by_user_id = $8
     where organization_id = $1 and id = $2`,
    [
      scope.organizationId,
      renewal.id,
      computeSecretDigest(renewal.secret),
      renewal.at,
      renewal.expiresAt,
      getGrantedRole(scope, grant),
      renewal.delivery,
      renewal.invitedBy,
    ],
  );
}

export async function closeInvitation(
  scope: OrganizationScope,
  sql: Sql,
  closing: { readonly id: string; readonly how: 'accepted' | 'revoked'; readonly at: Date },
): Promise<void> {
  await sql.query(
    `update invitations set accepted_at = case when $3 = 'accepted' then $4::timestamptz end,
       revoked_at = case when $3 = 'revoked' then $4::timestamptz end
     where organization_id = $1 and id = $2`,
    [scope.organizationId, closing.id, closing.how, closing.at],
  );
}

/**
 * Whether the account of an address was opened by a link that nobody mailed there, so that whoever opened it may be
 * another person.
 */
export async function hasJoinedByCopiedLink(_lab: LabScope, sql: Sql, userId: string): Promise<boolean> {
  const rows = await sql.query(
    `select 1 from invitations i join users u on u.email = i.email
     where u.id = $1 and i.delivery = 'link' and i.accepted_at is not null limit 1`,
    [userId],
  );
  return rows.length > 0;
}

export interface OfferedInvitation extends InvitationRow {
  readonly organization_name: string;
}

/** Finds the open invitation of a link; `lock` keeps others from accepting it until the transaction ends. */
export async function selectInvitationByLink(
  _lab: LabScope,
  sql: Sql,
  link: { readonly secret: string; readonly at: Date; readonly lock: boolean },
): Promise<OfferedInvitation | undefined> {
  return getFirst(
    await sql.query<OfferedInvitation>(
      `select i.*, o.name as organization_name from invitations i join organizations o on o.id = i.organization_id
       where i.digest = $1 and i.accepted_at is null and i.revoked_at is null and i.expires_at > $2
       ${link.lock ? 'for no key update of i' : ''}`,
      [computeSecretDigest(link.secret), link.at],
    ),
  );
}
