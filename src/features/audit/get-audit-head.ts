import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { selectChainEnd } from './chain-store.ts';
import { signHead } from './head.ts';
import type { getAuditHead as operation } from './head-contract.ts';

/** `GET /audit/head`. */
export async function getAuditHead({ query }: Input<typeof operation>, context: ReadContext) {
  const scope = getScope(context.principal);
  const { position, hash } = await selectChainEnd(scope, context.sql);
  const { organizationId } = scope;
  const signedAt = context.clock.now().toISOString();
  const nonce = query.nonce ?? null;
  const jws = signHead(context.keyring, { organizationId, position, hash, signedAt, nonce });
  return { organization_id: organizationId, position, hash, signed_at: signedAt, nonce, jws };
}
