/**
 * Capability tokens: `asy_<test|live>_<compact JWS><checksum>`.
 *
 * The JWS (RFC 7515) is signed with Ed25519 (RFC 8037). The last six characters are the CRC-32 of everything before
 * them in base 62: enough for secret scanners and for cheap refusal of a mistyped token, and no part of its security.
 * What a token may do is decided by its claims and, on each request, by the database.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  sign as signBytes,
  verify as verifyBytes,
  type KeyObject,
} from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { JWK } from 'jose';
import type { Keyring, TokenClaims } from '#core/capability.ts';
import type { Environment } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { roles } from '#core/permissions.ts';
import { isUuid } from '#core/ids.ts';
import { DEPTH_MAX, isPolicy, isStep } from './attenuation.ts';

export type { Keyring, TokenClaims } from '#core/capability.ts';

export interface SigningKey {
  readonly kid: string;
  readonly public_jwk: JWK;
  readonly private_jwk: JWK;
  readonly retired: boolean;
}

export const TOKEN_LENGTH_MAX = 8_192;
const CACHE_SIZE = 10_000;
const PREFIXES: Readonly<Record<Environment, string>> = { sandbox: 'asy_test_', live: 'asy_live_' };
const FORM = /^asy_(test|live)_([\w-]+)\.([\w-]+)\.([\w-]{86})([0-9A-Za-z]{6})$/;
const TYPE = 'asy+jws';
const ALGORITHM = 'EdDSA';

/** Reads the keys again. */
type LoadKeys = () => Promise<readonly SigningKey[]>;

/**
 * Several keys verify; the one that is not retired signs. Keys are reloaded because another process may have added
 * one.
 */
export interface RotatingKeyring extends Keyring {
  reload(): Promise<void>;
}

const RELOAD_AFTER_MS = 1_000;

export async function createKeyring(
  environment: Environment,
  keys: readonly SigningKey[],
  load?: LoadKeys,
): Promise<RotatingKeyring> {
  let { signing, verifying } = importKeys(keys);
  let reloadedAtMs = Number.NEGATIVE_INFINITY;
  let reloading = Promise.resolve();
  const verified = new ClaimsCache(CACHE_SIZE);

  async function reload(): Promise<void> {
    if (load !== undefined) ({ signing, verifying } = importKeys(await load()));
  }

  /** Anybody can send forged key ids, so the database is asked at most once a second. */
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
      const body = `${PREFIXES[environment]}${signJws(TYPE, claims)}`;
      return body + computeChecksum(body);
    },

    signStatement(type, payload) {
      if (type === TYPE) throw new Error('a token is signed by sign, which writes its prefix and checksum');
      return signJws(type, payload);
    },

    async verify(token, now) {
      if (token.length > TOKEN_LENGTH_MAX) throw fail('token_malformed');
      const digest = createHash('sha256').update(token).digest('base64');
      const claims = verified.get(digest) ?? (await verifyUncached(token, now));
      verified.set(digest, claims);
      refuseIfOutsideTime(claims, now);
      return claims;
    },
  };

  function signJws(type: string, payload: object): string {
    const { kid, privateKey } = signing;
    const text = `${encodeJson({ alg: ALGORITHM, kid, typ: type })}.${encodeJson(payload)}`;
    return `${text}.${signBytes(null, Buffer.from(text), privateKey).toString('base64url')}`;
  }

  async function verifyUncached(token: string, now: Date): Promise<TokenClaims> {
    const parts = parseForm(token, environment);
    const kid = parseKid(parts.header);
    await reloadFor(kid, now);
    return verifyParts(parts, environment, verifying.get(kid));
  }
}

function encodeJson(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function importKeys(keys: readonly SigningKey[]) {
  const verifying = new Map<string, KeyObject>();
  for (const { kid, public_jwk: key } of keys) verifying.set(kid, createPublicKey({ key, format: 'jwk' }));
  const active = keys.find((key) => !key.retired);
  if (active === undefined) throw new Error('no signing key is active');
  const privateKey = createPrivateKey({ key: active.private_jwk, format: 'jwk' });
  return { verifying, signing: { kid: active.kid, privateKey } };
}

/** The three parts of the signed text, as they were written. */
interface Parts {
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
}

/** Checks the form of a token without a key, and returns the signed text. */
function parseForm(token: string, environment: Environment): Parts {
  const match = FORM.exec(token);
  if (match === null) throw fail('token_malformed');
  const [, kind, header, payload, signature, check] = match;
  if (computeChecksum(token.slice(0, -6)) !== check) throw fail('token_malformed');
  const presented: Environment = kind === 'test' ? 'sandbox' : 'live';
  if (presented !== environment) {
    throw fail('token_wrong_environment', { token_environment: presented, environment });
  }
  // A base64url text whose unused bits are set decodes to the same bytes; it is rejected, so that a token has one
  // spelling.
  for (const part of [header, payload, signature]) {
    if (Buffer.from(part, 'base64url').toString('base64url') !== part) throw fail('token_malformed');
  }
  return { header, payload, signature };
}

function verifyParts(
  { header, payload, signature }: Parts,
  environment: Environment,
  key: KeyObject | undefined,
): TokenClaims {
  const text = Buffer.from(`${header}.${payload}`);
  if (key === undefined || !verifyBytes(null, text, key, Buffer.from(signature, 'base64url')))
    throw fail('token_invalid');
  const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
  if (!isClaims(claims) || claims.env !== environment) throw fail('token_invalid');
  return claims;
}

/** The header names the key; its other members must be those that we write. */
function parseKid(header: string): string {
  try {
    const named: unknown = JSON.parse(Buffer.from(header, 'base64url').toString());
    if (typeof named === 'object' && named !== null && 'kid' in named && typeof named.kid === 'string') {
      if (header === encodeJson({ alg: ALGORITHM, kid: named.kid, typ: TYPE })) return named.kid;
    }
  } catch {
    // A header that is not JSON names no key.
  }
  throw fail('token_invalid');
}

function refuseIfOutsideTime(claims: TokenClaims, now: Date): void {
  const seconds = now.getTime() / 1000;
  if (claims.exp !== null && seconds >= claims.exp) throw fail('token_expired');
  refuseIfNotYetValid(claims.iat, now);
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

/** An unknown claim could be a restriction, so the token is rejected. */
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

function computeChecksum(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let place = 0; place < 6; place++) {
    digits = BASE62.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/**
 * Remembers the tokens whose signature was good, by digest, so that no token stays in memory. Expiry, membership and
 * revocation are checked on every request.
 */
class ClaimsCache {
  readonly #entries = new Map<string, TokenClaims>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(digest: string): TokenClaims | undefined {
    return this.#entries.get(digest);
  }

  set(digest: string, claims: TokenClaims): void {
    if (this.#entries.has(digest)) return;
    if (this.#entries.size >= this.#capacity) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(digest, claims);
  }
}

/** A token with a future issue time, of any kind: the service's clock is behind the issuer's. */

const TOLERANCE_S = 60;
const MINUTE_S = 60;

/** Throws `token_not_yet_valid`. */
export function refuseIfNotYetValid(issuedAtS: number, now: Date): void {
  const aheadS = issuedAtS - now.getTime() / 1000;
  if (aheadS <= TOLERANCE_S) return;
  const minutes = Math.ceil(aheadS / MINUTE_S);
  throw fail('token_not_yet_valid', { minutes });
}
