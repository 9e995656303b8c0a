import type { TokenClaims } from '#core/capability.ts';
import type { WriteContext } from '#core/context.ts';
import { Failure } from '#core/failures.ts';
import { authorizeAttenuation } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { TOKEN_LENGTH_MAX } from './capability.ts';
import type { attenuateToken as operation } from './contract.ts';
import { createAttenuatedClaims, LINEAGE_MAX, createAttenuationFailure } from './rules.ts';
import { holdLineage, insertAttenuatedToken, selectTokenStanding } from './store.ts';

/** `POST /tokens/attenuate`. */
export async function attenuateToken(input: Input<typeof operation>, context: WriteContext) {
  const { body } = input;
  const { principal, tx, ids, clock, keyring } = context;
  const parent = await verifyOwnToken(body.token, context);
  const named = body.attenuated_parent_token_id ?? parent.tid;
  if (named.toLowerCase() !== parent.tid)
    throw createAttenuationFailure('attenuated_parent_token_id', 'is not the id of the token');
  const grant = authorizeAttenuation(principal, {
    path: parent.path,
    organizationId: parent.org,
    role: parent.role,
    expiresAt: findEnd(parent),
  });
  const now = clock.now();
  const id = ids.createUuid();
  const claims = createAttenuatedClaims(parent, { id, spec: body.attenuation }, now);
  const token = await keyring.sign(claims);
  if (token.length > TOKEN_LENGTH_MAX)
    throw createAttenuationFailure('attenuation', 'makes the token longer than the maximum length');
  await insertAttenuatedToken(getScope(principal), tx, grant, {
    id,
    user_id: claims.sub,
    name: body.name,
    path: claims.path,
    spec: body.attenuation,
    created_at: now,
    expires_at: findEnd(claims),
  });
  return { id, token };
}

function findEnd({ exp }: TokenClaims): Date | null {
  return exp === null ? null : new Date(exp * 1000);
}

/** Checks that the token is the caller's own and valid now. Any problem is one of the body, so the answer is 400. */
async function verifyOwnToken(token: string, context: WriteContext): Promise<TokenClaims> {
  const { principal, tx, clock, keyring } = context;
  const claims = await keyring.verify(token, clock.now()).catch((error: unknown) => {
    if (error instanceof Failure && error.status === 401)
      throw createAttenuationFailure('token', error.message.replace(/\.$/, ''));
    throw error;
  });
  if (claims.sub !== principal.userId || claims.org !== principal.organizationId)
    throw createAttenuationFailure('token', 'is not one of your own in this organization');
  const standing = await selectTokenStanding(getScope(principal), tx, claims);
  const lineage = await holdLineage(getScope(principal), tx, claims.tid);
  if (standing === undefined || lineage.isRevoked)
    throw createAttenuationFailure('token', 'has been revoked');
  if (lineage.length >= LINEAGE_MAX)
    throw createAttenuationFailure(
      'token',
      `is the ${LINEAGE_MAX}th token of its line, which is the maximum`,
    );
  return claims;
}
