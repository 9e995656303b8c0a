import type { PublicContext } from '#core/context.ts';
import { selectPublicKeys } from './store.ts';

/** `GET /audit/keys`. */
export async function listSigningKeys(_input: unknown, { sql }: PublicContext) {
  const keys = await selectPublicKeys(sql);
  return {
    keys: keys.map(({ kid, publicJwk: { kty = '', crv = '', x = '' } }) => ({
      kty,
      crv,
      x,
      kid,
      alg: 'EdDSA',
      use: 'sig',
    })),
  };
}
