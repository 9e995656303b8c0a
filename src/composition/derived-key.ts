import { hkdfSync } from 'node:crypto';
import type { SigningKey } from '#features/tokens/capability.ts';

/**
 * Derives a secret for one purpose from the oldest signing key, so that every process of the environment has the
 * same.
 */
export function deriveKey(keys: readonly SigningKey[], purpose: string): Buffer {
  const oldest = keys.at(-1);
  if (oldest?.privateJwk.d === undefined) throw new Error('the signing key has no private part');
  return Buffer.from(hkdfSync('sha256', oldest.privateJwk.d, 'assayer', purpose, 32));
}
