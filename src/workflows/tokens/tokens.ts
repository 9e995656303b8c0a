/** Tokens that a caller makes and ends: roots of a role, restricted copies, and the end of either. */
import type { TokenClaims } from '#core/capability.ts';
import { DAY_MS } from '#core/clock.ts';
import type { WriteContext } from '#core/context.ts';
import { fail, Failure } from '#core/failures.ts';
import { authorizeAttenuation, authorizeGrant } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import { TOKEN_LENGTH_MAX } from '#domain/tokens/capability.ts';
import type { attenuateToken, createToken, revokeOneToken } from '#domain/tokens/contract.ts';
import { attenuatedClaims, LINEAGE_MAX, refusedAttenuation } from '#domain/tokens/rules.ts';
import {
  holdLineage,
  insertAttenuatedToken,
  pastRevocations,
  revokeBranch,
  tokenStanding,
} from '#domain/tokens/store.ts';
import { issueRootToken } from '../installation/bootstrap.ts';

/** `POST /tokens/attenuate`. */
export async function attenuate(input: Input<typeof attenuateToken>, context: WriteContext) {
  const { body } = input;
  const { principal, tx, ids, clock, keyring } = context;
  const parent = await ownClaims(body.token, context);
  const named = body.attenuated_parent_token_id ?? parent.tid;
  if (named.toLowerCase() !== parent.tid)
    throw refusedAttenuation('attenuated_parent_token_id', 'is not the id of the token');
  const grant = authorizeAttenuation(principal, {
    path: parent.path,
    organizationId: parent.org,
    role: parent.role,
    expiresAt: endOf(parent),
  });
  const now = clock.now();
  const id = ids.uuid();
  const claims = attenuatedClaims(parent, { id, spec: body.attenuation }, now);
  const token = await keyring.sign(claims);
  if (token.length > TOKEN_LENGTH_MAX)
    throw refusedAttenuation('attenuation', 'makes the token longer than a token may be');
  await insertAttenuatedToken(scopeOf(principal), tx, grant, {
    id,
    userId: claims.sub,
    name: body.name,
    path: claims.path,
    spec: body.attenuation,
    createdAt: now,
    expiresAt: endOf(claims),
  });
  return { id, token };
}

function endOf({ exp }: TokenClaims): Date | null {
  return exp === null ? null : new Date(exp * 1000);
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
  const held = await holdLineage(scopeOf(principal), tx, claims.tid);
  if (standing === undefined || held.isRevoked) throw refusedAttenuation('token', 'has been revoked');
  if (held.length >= LINEAGE_MAX)
    throw refusedAttenuation('token', `is the ${LINEAGE_MAX}th of a line of tokens, which is the longest`);
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
  const grant = authorizeGrant(principal, 'token', { role });
  const issued = await issueRootToken(context, tx, keyring, grant, {
    userId: principal.userId,
    name,
    lifetimeMs: LIFETIMES_MS[lifetime],
    paymentPolicy,
    ...(await makerOf(context)),
  });
  return { id: issued.id, token: issued.value, name, role, expires_at: issued.expiresAt.toISOString() };
}

/** What a token makes ends with it, however it was made; what a person makes in the browser stands by itself. */
async function makerOf({ principal, tx }: WriteContext): Promise<{ makerId?: string }> {
  if (principal.credential !== 'token') return {};
  const held = await holdLineage(scopeOf(principal), tx, principal.tokenId);
  if (held.isRevoked) throw fail('token_revoked');
  if (held.length >= LINEAGE_MAX)
    throw fail('token_restricted', {
      reason: `it is the ${LINEAGE_MAX}th of a line of tokens that made one another, which is the longest`,
    });
  return { makerId: principal.tokenId };
}

/**
 * `POST /tokens/revoke`. A token that is limited ends itself and what is below it, for it may not reach above itself; any
 * other ends the root that it comes from.
 */
export async function revokeOwn(_input: unknown, context: WriteContext) {
  const { principal, tx, clock } = context;
  const { tokenId, tokenPath, restrictions } = principal;
  const target = restrictions.isLimited ? tokenId : (tokenPath[0] ?? tokenId);
  if (principal.isRevoked) return repeatRevocation(context, [target, tokenId]);
  const branch = { tokenId: target, userId: null, within: null, at: clock.now() };
  const revoked = await revokeBranch(scopeOf(principal), tx, branch);
  if (revoked === undefined) throw new Error('a token was admitted that has no row');
  return revoked;
}

/** A revoked token ends nothing more: it is told when the first of these ended that it would have ended itself. */
async function repeatRevocation({ principal, tx }: WriteContext, tokenIds: readonly string[]) {
  const past = await pastRevocations(scopeOf(principal), tx, tokenIds);
  const told = tokenIds.flatMap((id) => past.filter((each) => each.token_id === id))[0];
  if (told === undefined) throw fail('token_revoked');
  return { ...told, children_revoked: 0 };
}

/** `POST /tokens/{token_id}/revoke`. To a token that is limited, what lies outside its own branch does not exist. */
export async function revokeOne(input: Input<typeof revokeOneToken>, context: WriteContext) {
  const { principal, tx, clock } = context;
  const isAdministrator = principal.permissions.has('user:update');
  const revoked = await revokeBranch(scopeOf(principal), tx, {
    tokenId: input.params.token_id,
    userId: isAdministrator ? null : principal.userId,
    within: principal.restrictions.isLimited ? principal.tokenId : null,
    at: clock.now(),
  });
  if (revoked === undefined) throw fail('token_not_found');
  return revoked;
}
