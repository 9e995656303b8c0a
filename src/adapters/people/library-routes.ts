/**
 * Names that the sign-in library and its callers share. This file does not import the library, which is loaded when
 * first needed.
 */

/** Path of the library's routes; only listed ones are served. */
export const AUTH_PATH = '/auth';
export const SESSION_COOKIE = 'assayer_session';
/** Our own header: the library reads no header that a client may send. */
export const ADDRESS_HEADER = 'x-assayer-address';

/** An identity provider that the operator chose. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The name on its button. */
  readonly name: string;
}

export const PROVIDER_ID = 'provider';

export const passkeyRoutes: readonly RegExp[] = [
  /^GET \/passkey\/generate-(?:authenticate|register)-options$/,
  /^POST \/passkey\/verify-(?:authentication|registration)$/,
];
export const providerRoutes: readonly RegExp[] = [new RegExp(`^GET /callback/${PROVIDER_ID}$`)];
/** Routes that programs call directly; registration and authorization have our own routes in front. */
export const oauthRoutes: readonly RegExp[] = [
  /^POST \/oauth2\/(?:token|revoke|register)$/,
  /^GET \/oauth2\/authorize$/,
  /^GET \/jwks$/,
];
