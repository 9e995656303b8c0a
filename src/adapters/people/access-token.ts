/** Reads access tokens of the tool protocol (RFC 9068). The library signs them with the machine's clock. */
import type { createLocalJWKSet, JWK, JWTPayload } from 'jose';
import { fail } from '#core/failures.ts';
import { isUuid } from '#core/ids.ts';
import { ISSUER_PATH, MCP_PATHS, type AccessGrant } from '#features/people/programs/rules.ts';
import { refuseIfNotYetValid } from '#features/tokens/capability.ts';
import type { OAuthKey } from '#features/people/programs/store.ts';

const ALGORITHM = 'EdDSA';
const TYPE = 'at+jwt';
const LENGTH_MAX = 4_096;
const RELOAD_AFTER_MS = 1_000;

/** Fifty modules: a service loads them with its first access token. */
const loadJose = () => import('jose');

type ReadAccessToken = (token: string, now?: Date) => Promise<AccessGrant>;

/** The reader throws `token_malformed`, `token_invalid` or `token_expired`. */
export function createAccessTokenReader(parts: {
  readonly getBaseUrl: () => string;
  readonly loadKeys: () => Promise<readonly OAuthKey[]>;
}): ReadAccessToken {
  let keys: ReturnType<typeof createLocalJWKSet> | undefined;
  let loadedAtMs = Number.NEGATIVE_INFINITY;

  /** Anybody can send forged key ids, so the database is asked at most once a second. */
  async function reload(): Promise<boolean> {
    if (performance.now() - loadedAtMs < RELOAD_AFTER_MS) return false;
    loadedAtMs = performance.now();
    const jwks = (await parts.loadKeys()).map(toJwk);
    keys = (await loadJose()).createLocalJWKSet({ keys: jwks });
    return true;
  }

  async function verifyToken(token: string, now: Date): Promise<JWTPayload> {
    const { createLocalJWKSet, errors, jwtVerify } = await loadJose();
    keys ??= createLocalJWKSet({ keys: [] });
    const options = {
      issuer: parts.getBaseUrl() + ISSUER_PATH,
      audience: listAudiences(parts.getBaseUrl()),
      algorithms: [ALGORITHM],
      typ: TYPE,
      currentDate: now,
      requiredClaims: ['exp', 'iat', 'sub'],
    };
    try {
      return (await jwtVerify(token, keys, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await reload())) throw error;
      return (await jwtVerify(token, keys, options)).payload;
    }
  }

  return async (token, now = new Date()) => {
    if (token.length > LENGTH_MAX) throw fail('token_malformed');
    const { errors } = await loadJose();
    const payload = await verifyToken(token, now).catch((error: unknown) => {
      if (error instanceof errors.JWTExpired) throw fail('token_expired', {}, { cause: error });
      if (error instanceof errors.JOSEError) throw fail('token_invalid', {}, { cause: error });
      throw error;
    });
    const grant = parseGrant(payload, listAudiences(parts.getBaseUrl()));
    refuseIfNotYetValid(grant.issuedAt, now);
    return grant;
  };
}

function toJwk({ id, public_key: text }: OAuthKey): JWK {
  const key: unknown = JSON.parse(text);
  return { ...(typeof key === 'object' && key !== null ? key : {}), kid: id, alg: ALGORITHM };
}

function listAudiences(baseUrl: string): string[] {
  return MCP_PATHS.map((path) => baseUrl + path);
}

/** Accepts this service as the only audience: services of other audiences could read the token, too. */
function parseGrant(payload: JWTPayload, audiences: readonly string[]): AccessGrant {
  const { sub, aud, sid, program, client_id: clientId, scope, iat, exp } = payload;
  if (
    typeof aud !== 'string' ||
    !audiences.includes(aud) ||
    !isId(sub) ||
    !isId(sid) ||
    !isId(program) ||
    typeof clientId !== 'string' ||
    typeof scope !== 'string' ||
    iat === undefined ||
    exp === undefined
  )
    throw fail('token_invalid');
  return {
    userId: sub,
    sessionId: sid,
    programTokenId: program,
    clientId,
    scopes: scope.split(' '),
    issuedAt: iat,
    expiresAt: exp,
  };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && isUuid(value);
}
