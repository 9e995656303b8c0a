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
import type { Keyring, TokenClaims } from '#core/capability.ts';
import type { Environment } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { roles } from '#core/permissions.ts';
import { isUuid } from '#core/ids.ts';
import { DEPTH_MAX, isPolicy, isStep } from './attenuation.ts';

export type { Keyring, TokenClaims } from '#core/capability.ts';

export interface SigningKey {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
  readonly retired: boolean;
}

export const TOKEN_LENGTH_MAX = 8_192;
const CACHE_SIZE = 10_000;
const CLOCK_TOLERANCE_S = 60;
const PREFIXES: Readonly<Record<Environment, string>> = { sandbox: 'asy_test_', live: 'asy_live_' };
const FORM = /^asy_(test|live)_([\w-]+)\.([\w-]+)\.([\w-]{86})([0-9A-Za-z]{6})$/;
const TYPE = 'asy+jws';

/** Reads the keys again. */
export type LoadKeys = () => Promise<readonly SigningKey[]>;

/** Several keys verify, the one that is not retired signs; another process may have added one since the start. */
export interface RotatingKeyring extends Keyring {
  reload(): Promise<void>;
}

const RELOAD_AFTER_MS = 1_000;

export async function createKeyring(
  environment: Environment,
  keys: readonly SigningKey[],
  load?: LoadKeys,
): Promise<RotatingKeyring> {
  let { signing, verifying } = await importKeys(keys);
  let reloadedAtMs = Number.NEGATIVE_INFINITY;
  let reloading = Promise.resolve();
  const verified = new ClaimsCache(CACHE_SIZE);

  async function reload(): Promise<void> {
    if (load !== undefined) ({ signing, verifying } = await importKeys(await load()));
  }

  /** Forged key ids come at any rate; the database is asked once a second at most. */
  async function reloadFor(kid: string, now: Date): Promise<void> {
    if (verifying.has(kid)) return;
    if (Math.abs(now.getTime() - reloadedAtMs) >= RELOAD_AFTER_MS) {
      reloadedAtMs = now.getTime();
      reloading = reload();
    }
    await reloading;
  }

  return {
    reload,

    async sign(claims) {
      const { kid, privateKey } = signing;
      const jws = await new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: TYPE })
        .sign(privateKey);
      const body = PREFIXES[environment] + jws;
      return body + checksum(body);
    },

    async verify(token, now) {
      const cached = verified.get(token);
      if (cached !== undefined) {
        refuseIfOutsideTime(cached, now);
        return cached;
      }
      const jws = readForm(token, environment);
      const kid = kidOf(jws);
      await reloadFor(kid, now);
      const claims = await openToken(jws, environment, verifying.get(kid));
      verified.set(token, claims);
      refuseIfOutsideTime(claims, now);
      return claims;
    },
  };
}

type Key = CryptoKey | Uint8Array;

async function importKeys(keys: readonly SigningKey[]) {
  const verifying = new Map<string, Key>();
  for (const key of keys) verifying.set(key.kid, await importJWK(key.publicJwk, 'EdDSA'));
  const active = keys.find((key) => !key.retired);
  if (active === undefined) throw new Error('no signing key is active');
  const privateKey = await importJWK(active.privateJwk, 'EdDSA');
  return { verifying, signing: { kid: active.kid, privateKey } };
}

/** Everything that can be said of a token without a key; what is left is the signed text. */
function readForm(token: string, environment: Environment): string {
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
  return `${header}.${payload}.${signature}`;
}

async function openToken(jws: string, environment: Environment, key: Key | undefined): Promise<TokenClaims> {
  if (key === undefined) throw fail('token_invalid');
  const verified = await compactVerify(jws, key, { algorithms: ['EdDSA'] }).catch(() => {
    throw fail('token_invalid');
  });
  const claims: unknown = JSON.parse(new TextDecoder().decode(verified.payload));
  if (!isClaims(claims) || claims.env !== environment) throw fail('token_invalid');
  return claims;
}

function kidOf(jws: string): string {
  try {
    const { typ, kid } = decodeProtectedHeader(jws);
    if (typ === TYPE && kid !== undefined) return kid;
  } catch {
    // A header that is no JSON names no key.
  }
  throw fail('token_invalid');
}

function refuseIfOutsideTime(claims: TokenClaims, now: Date): void {
  const seconds = now.getTime() / 1000;
  if (claims.exp !== null && seconds >= claims.exp) throw fail('token_expired');
  if (claims.iat > seconds + CLOCK_TOLERANCE_S) throw fail('token_invalid');
}

const CLAIMS: ReadonlySet<string> = new Set<keyof TokenClaims>([
  'v',
  'env',
  'tid',
  'path',
  'sub',
  'org',
  'role',
  'iat',
  'exp',
  'cav',
  'pay',
]);

/** A claim that is not known could be a restriction, so it is refused rather than ignored. */
function isClaims(value: unknown): value is TokenClaims {
  if (typeof value !== 'object' || value === null) return false;
  if (!Object.keys(value).every((key) => CLAIMS.has(key))) return false;
  const claims = value as Partial<Record<keyof TokenClaims, unknown>>;
  return (
    claims.v === 1 &&
    isId(claims.tid) &&
    isId(claims.sub) &&
    isId(claims.org) &&
    isLineage(claims.path, claims.tid, claims.cav) &&
    roles.some((role) => role === claims.role) &&
    typeof claims.iat === 'number' &&
    (claims.exp === null || typeof claims.exp === 'number') &&
    (claims.pay === undefined || isPolicy(claims.pay))
  );
}

/** Every ancestor but the root has added one step. */
function isLineage(path: unknown, own: unknown, chain: unknown = []): boolean {
  return (
    Array.isArray(path) &&
    path.length > 0 &&
    path.length <= DEPTH_MAX + 1 &&
    path.every(isId) &&
    path.at(-1) === own &&
    Array.isArray(chain) &&
    chain.length === path.length - 1 &&
    chain.every(isStep)
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
