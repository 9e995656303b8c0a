import { getGrantedTokenRole, type Grant } from '#core/grants.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { expression, insertInto, insertOwned } from '#core/write-rows.ts';
import { type OrganizationScope, getOrganizationId, type Scope, type LabScope } from '#core/scope.ts';
import type { AttenuationSpec, PaymentPolicy } from '#core/capability.ts';
import { computeStepLimit } from './attenuation.ts';
import type { SigningKey } from './capability.ts';
import type { TokenStanding } from './rules.ts';
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import type { Role, StaffRole } from '#core/permissions.ts';

interface UsedTokenStanding extends TokenStanding {
  /** UTC, exact to the minute; null before the first use. */
  readonly last_used_at: string | null;
}

/** Runs on every request, so that a revoked ancestor, a removed member or a lower role takes effect at once. */
export async function selectTokenStanding(
  scope: OrganizationScope,
  sql: Sql,
  claims: { readonly tid: string; readonly sub: string },
): Promise<UsedTokenStanding | undefined> {
  const rows = await sql.query<UsedTokenStanding>(
    `select coalesce(lineage.revoked, false) as revoked, (t.makers || t.path)[1] as family_id,
       m.role as member_role, u.email as user_email, u.staff_roles, coalesce(lineage.is_minted, false) as is_minted,
       p.user_id is not null as is_partner, o.slug as organization_slug, t.last_used_at
     from tokens t
     -- The limit keeps the look-up on the primary key; a plan made while the table was small would read all of it.
     cross join lateral (
       select bool_or(a.revoked_at is not null) as revoked, bool_or(a.partner_organization_id is not null) as is_minted
       from unnest(t.makers || t.path) as line (id)
       cross join lateral (
         select revoked_at, partner_organization_id from tokens where id = line.id limit 1
       ) a
     ) lineage
     join users u on u.id = t.user_id
     join organizations o on o.id = t.organization_id
     left join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
     left join partners p on p.user_id = t.user_id and p.organization_id = t.organization_id
     where t.id = $1 and t.organization_id = $2 and t.user_id = $3`,
    [claims.tid, scope.organizationId, claims.sub],
  );
  return getFirst(rows);
}

interface HeldLineage {
  readonly length: number;
  readonly isRevoked: boolean;
}

/**
 * Locks a token and its ancestors until the transaction ends, so that none is revoked while a token is made below
 * them. A revocation is either committed before and seen here, or comes after and sees the new token.
 */
export async function holdLineage(scope: OrganizationScope, sql: Sql, tokenId: string): Promise<HeldLineage> {
  const rows = await sql.query<{ is_revoked: boolean }>(
    `select a.revoked_at is not null as is_revoked from tokens a
     where a.organization_id = $1
       and a.id in (select unnest(t.makers || t.path) from tokens t where t.id = $2 and t.organization_id = $1)
     order by a.id for share of a`,
    [scope.organizationId, tokenId],
  );
  return { length: rows.length, isRevoked: rows.some((row) => row.is_revoked) };
}

/** The partner that minted a token, and the token that it renews. */
export interface MintingPartner {
  readonly organizationId: string;
  readonly renewsTokenId?: string;
}

interface NewTokenRow {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  readonly token_type: 'admin' | 'user';
  /** The token that made it; it ends with that token. */
  readonly maker_id?: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly payment_policy?: PaymentPolicy | null;
  readonly partner?: MintingPartner | undefined;
}

export async function insertRootToken(
  scope: OrganizationScope,
  sql: Sql,
  grant: Grant,
  { maker_id: makerId, partner, ...token }: NewTokenRow,
): Promise<void> {
  await sql.query(
    ...insertOwned(scope, 'tokens', {
      ...token,
      kind: 'root',
      role: getGrantedTokenRole(scope, grant, token.expires_at),
      parent_token_id: makerId ?? null,
      root_token_id: token.id,
      path: [token.id],
      makers: expression`coalesce((select makers || path from tokens where id = ${makerId ?? null} and organization_id = ${scope.organizationId}), '{}')`,
      payment_policy:
        token.payment_policy === undefined || token.payment_policy === null
          ? null
          : JSON.stringify(token.payment_policy),
      max_spend_cents: token.payment_policy?.max_spend_cents ?? null,
      partner_organization_id: partner?.organizationId ?? null,
      renews_token_id: partner?.renewsTokenId ?? null,
    }),
  );
}

interface NewAttenuatedRow {
  readonly id: string;
  readonly user_id: string;
  readonly name: string;
  /** From the root to the new token itself. */
  readonly path: readonly string[];
  readonly spec: AttenuationSpec;
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

export async function insertAttenuatedToken(
  scope: OrganizationScope,
  sql: Sql,
  grant: Grant,
  { spec, ...token }: NewAttenuatedRow,
): Promise<void> {
  await sql.query(
    ...insertOwned(scope, 'tokens', {
      ...token,
      kind: 'attenuated',
      role: getGrantedTokenRole(scope, grant, token.expires_at),
      parent_token_id: token.path.at(-2),
      root_token_id: token.path[0],
      makers: expression`(select makers from tokens where id = ${token.path.at(-2)} and organization_id = ${scope.organizationId})`,
      attenuation_spec: JSON.stringify(spec),
      max_spend_cents: computeStepLimit(spec),
    }),
  );
}

interface Branch {
  readonly tokenId: string;
  /** The holder that the token must have; null for any. */
  readonly userId: string | null;
  /** The token that it must be or descend from; null where the person may revoke any of their tokens. */
  readonly within: string | null;
  readonly at: Date;
}

interface Revoked {
  readonly token_id: string;
  readonly revoked_at: string;
  readonly children_revoked: number;
}

/**
 * Revokes a token and everything below it that is not revoked yet; a repeat changes nothing. A statement of its own
 * locks the token first, so that the second one sees tokens that were made below it meanwhile.
 */
export async function revokeBranch(
  scope: OrganizationScope,
  tx: Transaction,
  { tokenId, userId, within, at }: Branch,
): Promise<Revoked | undefined> {
  const top = getFirst(
    await tx.query<{ id: string; family_id: string; revoked_at: string | null }>(
      `select id, (makers || path)[1] as family_id, revoked_at from tokens
       where id = $1 and organization_id = $2 and ($3::uuid is null or user_id = $3)
         and ($4::uuid is null or $4 = any(makers || path))
       for no key update`,
      [tokenId, scope.organizationId, userId, within],
    ),
  );
  if (top === undefined) return undefined;
  const stamped = await tx.query<{ id: string }>(
    `with held as materialized (
       select id from tokens
       where organization_id = $1 and (makers || path)[1] = $2 and $3 = any(makers || path) and revoked_at is null
       order by id for no key update)
     update tokens set revoked_at = $4 where id in (select id from held) returning id`,
    [scope.organizationId, top.family_id, top.id, at],
  );
  return {
    token_id: top.id,
    revoked_at: top.revoked_at ?? at.toISOString(),
    children_revoked: stamped.filter(({ id }) => id !== top.id).length,
  };
}

/** For each of these tokens the time of its revocation, its own or that of an ancestor. */
export async function selectPastRevocations(
  scope: OrganizationScope,
  sql: Sql,
  tokenIds: readonly string[],
): Promise<Omit<Revoked, 'children_revoked'>[]> {
  return sql.query(
    `select t.id as token_id, coalesce(t.revoked_at, min(a.revoked_at)) as revoked_at
     from tokens t join tokens a on a.id = any(t.makers || t.path) and a.revoked_at is not null
     where t.organization_id = $1 and t.id = any($2::uuid[]) group by t.id`,
    [scope.organizationId, tokenIds],
  );
}

/** Locks out other inserts until the transaction ends, so that two processes starting at once agree on one key. */
export async function lockSigningKeys(sql: Sql): Promise<void> {
  await sql.query(`lock table signing_keys in share row exclusive mode`);
}

export async function selectSigningKeys(sql: Sql): Promise<SigningKey[]> {
  return sql.query<SigningKey>(
    `select kid, public_jwk, private_jwk, retired_at is not null as retired from signing_keys
     order by created_at desc, retired_at nulls first`,
  );
}

/** Never reads the private halves. Newest first; retired keys are among them, because what they signed stays valid. */
export async function selectPublicKeys(sql: Sql): Promise<Pick<SigningKey, 'kid' | 'public_jwk'>[]> {
  return sql.query<Pick<SigningKey, 'kid' | 'public_jwk'>>(
    `select kid, public_jwk from signing_keys order by created_at desc, retired_at nulls first`,
  );
}

export async function insertSigningKey(sql: Sql, key: SigningKey, at: Date): Promise<void> {
  await sql.query(
    ...insertInto(
      'signing_keys',
      {
        kid: key.kid,
        public_jwk: JSON.stringify(key.public_jwk),
        private_jwk: JSON.stringify(key.private_jwk),
        created_at: at,
      },
      'on conflict (kid) do nothing',
    ),
  );
}

/** Retires the keys: from now on they only verify. */
export async function retireSigningKeys(sql: Sql, at: Date): Promise<void> {
  await sql.query(`update signing_keys set retired_at = $1 where retired_at is null`, [at]);
}

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

/** A token that another transaction holds is left to the next request, so that no request waits for this note. */
export async function touchToken(_lab: LabScope, sql: Sql, tokenId: string, at: Date): Promise<void> {
  await sql.query(
    `update tokens set last_used_at = $2
     where id = (select id from tokens where id = $1 for no key update skip locked)`,
    [tokenId, at],
  );
}

/** Which of many tokens are still valid, for connections that stay open. */

interface Held {
  readonly tokenId: string;
  readonly organizationId: string;
  readonly userId: string;
}

/** What the holder of a token is now. */
export interface Standing {
  readonly role: Role;
  readonly staffRoles: readonly StaffRole[];
}

/** Selects by their ids the tokens that are not revoked, nor any ancestor, and whose holders are members still. */
export async function selectStandingTokens(
  _lab: LabScope,
  sql: Sql,
  held: readonly Held[],
): Promise<ReadonlyMap<string, Standing>> {
  const rows = await sql.query<{ id: string; role: Role; staff_roles: readonly StaffRole[] }>(
    `select t.id, m.role, u.staff_roles
     from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as asked (id, organization_id, user_id)
     join tokens t on t.id = asked.id and t.organization_id = asked.organization_id and t.user_id = asked.user_id
     join users u on u.id = t.user_id
     join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
     where not exists (select 1 from tokens a where a.id = any (t.makers || t.path) and a.revoked_at is not null)`,
    [
      held.map(({ tokenId }) => tokenId),
      held.map(({ organizationId }) => organizationId),
      held.map(({ userId }) => userId),
    ],
  );
  return new Map(rows.map(({ id, role, staff_roles: staffRoles }) => [id, { role, staffRoles }]));
}
