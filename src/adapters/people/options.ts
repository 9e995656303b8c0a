/** Configures the sign-in library: our tables and our ids, with all unused features turned off. */
import { passkey } from '@better-auth/passkey';
import type { BetterAuthPlugin } from 'better-auth';
import { APIError } from 'better-auth/api';
import type { BetterAuthOptions } from 'better-auth/minimal';
import type { Logger } from 'pino';
import type { Ids } from '#core/ids.ts';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, SESSION_MS } from '#features/people/rules.ts';
import { ADDRESS_HEADER, AUTH_PATH, SESSION_COOKIE } from './library-routes.ts';

const MINUTE_S = 60;

export interface AuthOptionsParts {
  readonly baseUrl: string;
  readonly secret: string;
  readonly ids: Ids;
  readonly log: Logger;
  /** Sign-in attempts per minute and client address. */
  readonly attemptsPerMinute: number;
  readonly database: NonNullable<BetterAuthOptions['database']>;
  readonly plugins: readonly BetterAuthPlugin[];
}

export function createAuthOptions(parts: AuthOptionsParts): BetterAuthOptions {
  const attempts = { window: MINUTE_S, max: parts.attemptsPerMinute };
  return {
    appName: 'Assayer',
    baseURL: parts.baseUrl,
    basePath: AUTH_PATH,
    secret: parts.secret,
    database: parts.database,
    ...tables,
    // An account is made only by a person who has opened the mailed link.
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD_LENGTH_MIN,
      maxPasswordLength: PASSWORD_LENGTH_MAX,
    },
    plugins: [createPasskeyPlugin(parts.baseUrl), ...parts.plugins],
    rateLimit: {
      enabled: true,
      storage: 'database',
      modelName: 'rate_limits',
      fields: { lastRequest: 'last_request' },
      window: MINUTE_S,
      max: 120,
      customRules: { '/sign-in/*': attempts, '/passkey/*': attempts, '/change-password': attempts },
    },
    advanced: {
      cookiePrefix: 'assayer',
      cookies: { session_token: { name: SESSION_COOKIE } },
      disableCSRFCheck: false,
      disableOriginCheck: false,
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: () => parts.ids.createUuid() },
    },
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      log: (level, message) => parts.log[level === 'error' ? 'warn' : 'debug']({ from: 'sign-in' }, message),
    },
    onAPIError: {
      errorURL: `${parts.baseUrl}/sign-in`,
      // A rejection is not an error. Real errors go to the service's log, never to the console.
      onError: (error) => {
        const detail = error instanceof Error ? error.message : 'no error object';
        parts.log[isRefusal(error) ? 'debug' : 'error']({ from: 'sign-in', detail }, 'not answered');
      },
    },
  };
}

function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return false;
  return typeof error.statusCode === 'number' && error.statusCode < 500;
}

const created = { createdAt: 'created_at', updatedAt: 'updated_at' };

const tables = {
  user: { modelName: 'users', fields: { emailVerified: 'email_verified', ...created } },
  session: {
    modelName: 'sessions',
    expiresIn: SESSION_MS / 1000,
    disableSessionRefresh: true,
    fields: {
      userId: 'user_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
      ...created,
    },
    additionalFields: {
      activeOrganizationId: {
        type: 'string',
        required: false,
        input: false,
        fieldName: 'active_organization_id',
      },
    },
  },
  account: {
    modelName: 'accounts',
    fields: {
      userId: 'user_id',
      accountId: 'account_id',
      providerId: 'provider_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      ...created,
    },
    encryptOAuthTokens: true,
    // An existing person is linked only when the provider says that the address is verified.
    accountLinking: { enabled: true, trustedProviders: [], requireLocalEmailVerified: false },
  },
  verification: {
    modelName: 'verifications',
    fields: { expiresAt: 'expires_at', ...created },
    storeIdentifier: 'hashed',
  },
} satisfies BetterAuthOptions;

function createPasskeyPlugin(baseUrl: string): BetterAuthPlugin {
  return passkey({
    rpID: new URL(baseUrl).hostname,
    rpName: 'Assayer',
    origin: new URL(baseUrl).origin,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    authentication: {
      // A stolen key alone is not enough: the device must have checked a finger, a face or a PIN.
      afterVerification: ({ verification }) => {
        if (!verification.authenticationInfo.userVerified) throw new APIError('UNAUTHORIZED');
      },
    },
    schema: {
      passkey: {
        modelName: 'passkeys',
        fields: {
          publicKey: 'public_key',
          userId: 'user_id',
          credentialID: 'credential_id',
          deviceType: 'device_type',
          backedUp: 'backed_up',
          createdAt: 'created_at',
        },
      },
    },
  });
}
