/**
 * Capability tokens: `asy_<test|live>_<compact JWS><checksum>`.
 *
 * The JWS (RFC 7515) is signed with Ed25519 (RFC 8037). The last six characters are the CRC-32 of everything before
 * them in base 62: enough for secret scanners and for cheap refusal of a mistyped token, and no part of its security.
 * What a token may do is decided by its claims and, on each request, by the database.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { CompactSign, compactVerify, decodeProtectedHeader, importJWK, type CryptoKey, type JWK } from 'jose';
import type { Environment } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { roles, type Role } from '#core/permissions.ts';
import { isUuid } from '#core/ids.ts';

export interface TokenClaims {
  readonly v: 1;
  readonly env: Environment;
  /** The token's id, and every ancestor from the root down to it. */
  readonly tid: string;
  readonly path: readonly string[];
  readonly sub: string;
  readonly org: string;
  readonly role: Role;
  /** Seconds since the epoch. */
  readonly iat: number;
  readonly exp: number | null;
}

export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
  readonly retired: boolean;
}

const TOKEN_LENGTH_MAX = 8_192;
const CLOCK_TOLERANCE_S = 60;
const PREFIXES: Readonly<Record<Environment, string>> = { sandbox: 'asy_test_', live: 'asy_live_' };
const FORM = /^asy_(test|live)_([\w-]+)\.([\w-]+)\.([\w-]{86})([0-9A-Za-z]{6})$/;
const TYPE = 'asy+jws';

export interface Keyring {
  sign(claims: TokenClaims): Promise<string>;
  /** Claims of a token that this environment signed; throws the failure that says what is wrong. */
  verify(token: string, now: Date): Promise<TokenClaims>;
}

export async function createKeyring(environment: Environment, keys: readonly SigningKey[]): Promise<Keyring> {
  const verifying = new Map<string, CryptoKey | Uint8Array>();
  for (const key of keys) verifying.set(key.kid, await importJWK(key.publicJwk, 'EdDSA'));
  const signing = keys.find((key) => !key.retired);
  if (signing === undefined) throw new Error('no signing key is active');
  const privateKey = await importJWK(signing.privateJwk, 'EdDSA');
  const verified = new ClaimsCache(10_000);

  return {
    async sign(claims) {
      const jws = await new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'EdDSA', kid: signing.kid, typ: TYPE })
        .sign(privateKey);
      const body = PREFIXES[environment] + jws;
      return body + checksum(body);
    },

    async verify(token, now) {
      const cached = verified.get(token);
      const claims = cached ?? (await openToken(token, environment, verifying));
      if (cached === undefined) verified.set(token, claims);
      refuseIfOutsideTime(claims, now);
      return claims;
    },
  };
}

async function openToken(
  token: string,
  environment: Environment,
  keys: ReadonlyMap<string, CryptoKey | Uint8Array>,
): Promise<TokenClaims> {
  if (token.length > TOKEN_LENGTH_MAX) throw fail('token_malformed');
  const match = FORM.exec(token);
  if (match === null) throw fail('token_malformed');
  const [, kind, header, payload, signature, check] = match;
  if (checksum(token.slice(0, -6)) !== check) throw fail('token_malformed');
  const presented: Environment = kind === 'test' ? 'sandbox' : 'live';
  if (presented !== environment) {
    throw fail('token_wrong_environment', { token_environment: presented, environment });
  }
  // A base64url text whose unused bits are set decodes to the same bytes: one token, one spelling.
  for (const part of [header, payload, signature]) {
    if (Buffer.from(part, 'base64url').toString('base64url') !== part) throw fail('token_malformed');
  }
  const jws = `${header}.${payload}.${signature}`;
  const key = keyOf(jws, keys);
  if (key === undefined) throw fail('token_invalid');
  const verified = await compactVerify(jws, key, { algorithms: ['EdDSA'] }).catch(() => {
    throw fail('token_invalid');
  });
  const claims: unknown = JSON.parse(new TextDecoder().decode(verified.payload));
  if (!isClaims(claims) || claims.env !== environment) throw fail('token_invalid');
  return claims;
}

function keyOf(
  jws: string,
  keys: ReadonlyMap<string, CryptoKey | Uint8Array>,
): CryptoKey | Uint8Array | undefined {
  try {
    const header = decodeProtectedHeader(jws);
    return header.typ === TYPE && header.kid !== undefined ? keys.get(header.kid) : undefined;
  } catch {
    return undefined;
  }
}

function refuseIfOutsideTime(claims: TokenClaims, now: Date): void {
  const seconds = now.getTime() / 1000;
  if (claims.exp !== null && seconds >= claims.exp) throw fail('token_expired');
  if (claims.iat > seconds + CLOCK_TOLERANCE_S) throw fail('token_invalid');
}

function isClaims(value: unknown): value is TokenClaims {
  if (typeof value !== 'object' || value === null) return false;
  const claims = value as Partial<Record<keyof TokenClaims, unknown>>;
  return (
    claims.v === 1 &&
    isId(claims.tid) &&
    isId(claims.sub) &&
    isId(claims.org) &&
    Array.isArray(claims.path) &&
    claims.path.length > 0 &&
    claims.path.every(isId) &&
    claims.path.at(-1) === claims.tid &&
    roles.some((role) => role === claims.role) &&
    typeof claims.iat === 'number' &&
    (claims.exp === null || typeof claims.exp === 'number')
  );
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && isUuid(value);
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function checksum(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place++) {
    digits = BASE62.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/**
 * Remembers which tokens carried a good signature, keyed by digest so that no token stays in memory. Expiry,
 * membership and revocation are never remembered.
 */
class ClaimsCache {
  readonly #entries = new Map<string, TokenClaims>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(token: string): TokenClaims | undefined {
    return this.#entries.get(digest(token));
  }

  set(token: string, claims: TokenClaims): void {
    if (this.#entries.size >= this.#capacity) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(digest(token), claims);
  }
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
