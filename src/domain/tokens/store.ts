import type { JWK } from 'jose';
import { exactlyOne, first, type Sql } from '#core/sql.ts';
import { organizationOf, type OrganizationScope, type Scope } from '#core/scope.ts';
import type { AttenuationSpec, PaymentPolicy } from '#core/capability.ts';
import type { Role } from '#core/permissions.ts';
import type { SigningKey } from './capability.ts';
import type { TokenStanding } from './rules.ts';

/** Read on every request: a revoked ancestor, a removed member or a lower role takes effect at once. */
export async function tokenStanding(
  scope: OrganizationScope,
  sql: Sql,
  claims: { readonly tid: string; readonly path: readonly string[]; readonly sub: string },
): Promise<TokenStanding | undefined> {
  const rows = await sql.query<TokenStanding>(
    `select exists (select 1 from tokens a where a.id = any($3::uuid[]) and a.revoked_at is not null) as revoked,
       m.role as member_role, u.email as user_email, u.is_staff, p.user_id is not null as is_partner,
       o.slug as organization_slug
     from tokens t
     join users u on u.id = t.user_id
     join organizations o on o.id = t.organization_id
     left join memberships m on m.organization_id = t.organization_id and m.user_id = t.user_id
     left join partners p on p.user_id = t.user_id and p.organization_id = t.organization_id
     where t.id = $1 and t.organization_id = $2 and t.user_id = $4`,
    [claims.tid, scope.organizationId, claims.path, claims.sub],
  );
  return first(rows);
}

export interface NewTokenRow {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly tokenType: 'admin' | 'user';
  readonly role: Role;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly paymentPolicy?: PaymentPolicy | null;
}

export async function insertRootToken(scope: OrganizationScope, sql: Sql, token: NewTokenRow): Promise<void> {
  await sql.query(
    `insert into tokens (id, organization_id, user_id, name, kind, token_type, role, root_token_id, path, created_at,
       expires_at, payment_policy, max_spend_cents)
     values ($1, $2, $3, $4, 'root', $5, $6, $1, array[$1::uuid], $7, $8, $9, $10)`,
    [
      token.id,
      organizationOf(scope),
      token.userId,
      token.name,
      token.tokenType,
      token.role,
      token.createdAt,
      token.expiresAt,
      token.paymentPolicy === undefined || token.paymentPolicy === null
        ? null
        : JSON.stringify(token.paymentPolicy),
      token.paymentPolicy?.max_spend_cents ?? null,
    ],
  );
}

export interface NewAttenuatedRow {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
  /** From the root down to the new token itself. */
  readonly path: readonly string[];
  readonly spec: AttenuationSpec;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

export async function insertAttenuatedToken(
  scope: OrganizationScope,
  sql: Sql,
  token: NewAttenuatedRow,
): Promise<void> {
  await sql.query(
    `insert into tokens (id, organization_id, user_id, name, kind, role, parent_token_id, root_token_id, path,
       attenuation_spec, max_spend_cents, created_at, expires_at)
     values ($1, $2, $3, $4, 'attenuated', $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      token.id,
      organizationOf(scope),
      token.userId,
      token.name,
      token.role,
      token.path.at(-2),
      token.path[0],
      token.path,
      JSON.stringify(token.spec),
      token.spec.max_spend_cents ?? null,
      token.createdAt,
      token.expiresAt,
    ],
  );
}

export interface SpendLimit {
  readonly id: string;
  readonly max_spend_cents: number;
  readonly spent_cents: number;
}

/** The limits along a path, held until the transaction ends, always from the root down. */
export async function lockSpendLimits(
  scope: OrganizationScope,
  sql: Sql,
  path: readonly string[],
): Promise<SpendLimit[]> {
  return sql.query<SpendLimit>(
    `select id, max_spend_cents, spent_cents from tokens
     where organization_id = $1 and id = any($2::uuid[]) and max_spend_cents is not null
     order by id for no key update`,
    [organizationOf(scope), path],
  );
}

export async function addSpending(
  scope: OrganizationScope,
  sql: Sql,
  ids: readonly string[],
  amountCents: number,
): Promise<void> {
  await sql.query(
    `update tokens set spent_cents = spent_cents + $3 where organization_id = $1 and id = any($2::uuid[])`,
    [organizationOf(scope), ids, amountCents],
  );
}

/** Stamps one token and what was derived from it. With a user, only a token of that user is found. */
export async function revokeBranch(
  scope: OrganizationScope,
  sql: Sql,
  branch: { readonly tokenId: string; readonly userId: string | null; readonly at: Date },
): Promise<RevokedFamily | undefined> {
  const rows = await sql.query<RevokedFamily>(
    `with top as (
       select id, root_token_id, revoked_at from tokens
       where id = $1 and organization_id = $2 and ($3::uuid is null or user_id = $3)),
     held as materialized (
       select t.id from tokens t join top on t.root_token_id = top.root_token_id
       where t.path @> array[$1::uuid] and t.revoked_at is null order by t.id for no key update of t),
     stamped as (
       update tokens set revoked_at = $4 where id in (select id from held) returning id)
     select top.id as token_id, coalesce(top.revoked_at, $4::timestamptz) as revoked_at,
       (select count(*) from stamped where id <> top.id) as children_revoked
     from top`,
    [branch.tokenId, organizationOf(scope), branch.userId, branch.at],
  );
  return first(rows);
}

export interface RevokedFamily {
  readonly token_id: string;
  readonly revoked_at: string;
  readonly children_revoked: number;
}

/** Stamps the root and every descendant that has no stamp yet; repeating it changes nothing. */
export async function revokeFamily(
  scope: OrganizationScope,
  sql: Sql,
  tokenId: string,
  at: Date,
): Promise<RevokedFamily> {
  const rows = await sql.query<RevokedFamily>(
    `with family as (select root_token_id as root from tokens where id = $1 and organization_id = $2),
     held as materialized (
       select id from tokens where root_token_id = (select root from family) and revoked_at is null
       order by id for no key update),
     stamped as (
       update tokens set revoked_at = $3 where id in (select id from held) returning id)
     select family.root as token_id,
       coalesce((select revoked_at from tokens where id = family.root), $3::timestamptz) as revoked_at,
       (select count(*) from stamped where id <> family.root) as children_revoked
     from family`,
    [tokenId, scope.organizationId, at],
  );
  return exactlyOne(rows);
}

/** Until the transaction ends nobody else adds a key: two processes starting at once agree on one. */
export async function lockSigningKeys(_global: Scope, sql: Sql): Promise<void> {
  await sql.query(`lock table signing_keys in share row exclusive mode`);
}

export async function signingKeys(_global: Scope, sql: Sql): Promise<SigningKey[]> {
  const rows = await sql.query<{ kid: string; public_jwk: JWK; private_jwk: JWK; retired: boolean }>(
    `select kid, public_jwk, private_jwk, retired_at is not null as retired from signing_keys
     order by created_at desc, retired_at nulls first`,
  );
  return rows.map((row) => ({
    kid: row.kid,
    publicJwk: row.public_jwk,
    privateJwk: row.private_jwk,
    retired: row.retired,
  }));
}

export async function insertSigningKey(_global: Scope, sql: Sql, key: SigningKey, at: Date): Promise<void> {
  await sql.query(
    `insert into signing_keys (kid, public_jwk, private_jwk, created_at) values ($1, $2, $3, $4)
     on conflict (kid) do nothing`,
    [key.kid, JSON.stringify(key.publicJwk), JSON.stringify(key.privateJwk), at],
  );
}

/** From now on they only verify. */
export async function retireSigningKeys(_global: Scope, sql: Sql, at: Date): Promise<void> {
  await sql.query(`update signing_keys set retired_at = $1 where retired_at is null`, [at]);
}
