/**
 * Links that carry their own permission: whoever holds one may fetch the document at its path without a token until
 * the link expires. HMAC-SHA-256 (RFC 2104) signs path and expiry.
 */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { fail } from './failures.ts';

export interface LinkSigner {
  /** Returns `path` with its expiry and signature as query parameters; `path` must have no query of its own. */
  sign(path: string, expiresAt: Date): string;
  /** Throws `link_invalid` or `link_expired`. */
  check(path: string, query: unknown, now: Date): void;
}

/** Signs paths with their expiry under a secret, and verifies them: throws `link_invalid` or `link_expired`. */
export function createLinkSigner(secret: Uint8Array): LinkSigner {
  // A key of bytes would be prepared anew for each signature, which takes longer than the signature.
  const key = createSecretKey(secret);
  const computeSignature = (path: string, expires: string): Buffer =>
    createHmac('sha256', key).update(`${path}\n${expires}`).digest();
  return {
    sign(path, expiresAt) {
      const expires = String(Math.floor(expiresAt.getTime() / 1_000));
      return `${path}?expires=${expires}&signature=${computeSignature(path, expires).toString('hex')}`;
    },
    check(path, query, now) {
      const { expires, signature } = parseLinkQuery(query);
      const expected = computeSignature(path, expires);
      const received = Buffer.from(signature, 'hex');
      // The signature is checked first, because an unsigned expiry proves nothing.
      if (received.length !== expected.length || !timingSafeEqual(received, expected))
        throw fail('link_invalid');
      if (Number(expires) * 1_000 <= now.getTime()) throw fail('link_expired');
    },
  };
}

function parseLinkQuery(query: unknown): { expires: string; signature: string } {
  const { expires, signature }: Readonly<Record<string, unknown>> =
    typeof query === 'object' && query !== null ? { ...query } : {};
  if (typeof expires !== 'string' || !/^\d{1,12}$/.test(expires)) throw fail('link_invalid');
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/.test(signature)) throw fail('link_invalid');
  return { expires, signature };
}
