/** Tokens that a caller makes and ends: roots of a role, restricted copies, and the end of either. */
import type { TokenClaims } from '#core/capability.ts';
import { DAY_MS } from '#core/clock.ts';
import type { WriteContext } from '#core/context.ts';
import { fail, Failure } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { rolePermissions, type Role } from '#core/permissions.ts';
import { scopeOf, type Principal } from '#core/principal.ts';
import { TOKEN_LENGTH_MAX } from '#domain/tokens/capability.ts';
import type { attenuateToken, createToken, revokeOneToken } from '#domain/tokens/contract.ts';
import { attenuatedClaims, refusedAttenuation } from '#domain/tokens/rules.ts';
import { insertAttenuatedToken, revokeBranch, tokenStanding } from '#domain/tokens/store.ts';
import { issueRootToken } from './bootstrap.ts';

/** `POST /tokens/attenuate`. */
export async function attenuate(input: Input<typeof attenuateToken>, context: WriteContext) {
  const { body } = input;
  const { principal, tx, ids, clock, keyring } = context;
  const parent = await ownClaims(body.token, context);
  const named = body.attenuated_parent_token_id ?? parent.tid;
  if (named.toLowerCase() !== parent.tid)
    throw refusedAttenuation('attenuated_parent_token_id', 'is not the id of the token');
  const now = clock.now();
  const id = ids.uuid();
  const claims = attenuatedClaims(parent, { id, spec: body.attenuation }, now);
  const token = await keyring.sign(claims);
  if (token.length > TOKEN_LENGTH_MAX)
    throw refusedAttenuation('attenuation', 'makes the token longer than a token may be');
  await insertAttenuatedToken(scopeOf(principal), tx, {
    id,
    userId: claims.sub,
    name: body.name,
    role: claims.role,
    path: claims.path,
    spec: body.attenuation,
    createdAt: now,
    expiresAt: claims.exp === null ? null : new Date(claims.exp * 1000),
  });
  return { id, token };
}

/** A token of the caller's own, good at this moment. Whatever is wrong with it is wrong with the body: a 400. */
async function ownClaims(token: string, context: WriteContext): Promise<TokenClaims> {
  const { principal, tx, clock, keyring } = context;
  const claims = await keyring.verify(token, clock.now()).catch((error: unknown) => {
    if (error instanceof Failure && error.status === 401)
      throw refusedAttenuation('token', error.message.replace(/\.$/, ''));
    throw error;
  });
  if (claims.sub !== principal.userId || claims.org !== principal.organizationId)
    throw refusedAttenuation('token', 'is not one of your own in this organization');
  const standing = await tokenStanding(scopeOf(principal), tx, claims);
  if (standing === undefined || standing.revoked) throw refusedAttenuation('token', 'has been revoked');
  return claims;
}

export const LIFETIMES_MS = {
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  '90d': 90 * DAY_MS,
  '1y': 365 * DAY_MS,
} as const;

/** `POST /tokens`. */
export async function createRootToken(input: Input<typeof createToken>, context: WriteContext) {
  const { principal, tx, keyring } = context;
  const { name, role, expires_in: lifetime, payment_policy: paymentPolicy = null } = input.body;
  refuseRestricted(principal);
  refuseBroaderRole(principal, role);
  const issued = await issueRootToken(context, tx, keyring, {
    organizationId: principal.organizationId,
    userId: principal.userId,
    name,
    role,
    lifetimeMs: lifetimeMs(principal, LIFETIMES_MS[lifetime], context.clock.now()),
    paymentPolicy,
  });
  if (issued.expiresAt === null) throw new Error('a token that was made for a time has no end');
  return { id: issued.id, token: issued.value, name, role, expires_at: issued.expiresAt.toISOString() };
}

/** A token makes none that lives longer than itself, so one that was found or lent for a day is gone after it. */
function lifetimeMs({ isSession, tokenExpiresAt }: Principal, askedMs: number, now: Date): number {
  if (isSession || tokenExpiresAt === null) return askedMs;
  return Math.min(askedMs, Date.parse(tokenExpiresAt) - now.getTime());
}

/** A new root carries none of the limits of the token that asked for it, so a limited token may not ask. */
function refuseRestricted({ restrictions }: Principal): void {
  if (restrictions.isAttenuated)
    throw fail('token_restricted', { reason: 'it was derived from another, and cannot create a new one' });
  if (restrictions.paymentMethods !== null)
    throw fail('token_restricted', { reason: 'it has a payment policy, and cannot create a new one' });
}

function refuseBroaderRole({ permissions }: Principal, role: Role): void {
  const beyond = [...rolePermissions[role]].find((permission) => !permissions.has(permission));
  if (beyond !== undefined) throw fail('token_role_exceeded', { role, permission: beyond });
}

/** `POST /tokens/{token_id}/revoke`. */
export async function revokeOne(input: Input<typeof revokeOneToken>, context: WriteContext) {
  const { principal, tx, clock } = context;
  const isAdministrator = principal.permissions.has('user:update');
  const revoked = await revokeBranch(scopeOf(principal), tx, {
    tokenId: input.params.token_id,
    userId: isAdministrator ? null : principal.userId,
    at: clock.now(),
  });
  if (revoked === undefined) throw fail('token_not_found');
  return revoked;
}
