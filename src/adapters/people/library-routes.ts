/** What the sign-in library and its callers agree on; free of the library, which is loaded when first needed. */

/** Where the library's routes stand; only those that are opened by name are served. */
export const AUTH_PATH = '/auth';
export const SESSION_COOKIE = 'assayer_session';
/** Our own header: the library never reads one that a client may send. */
export const ADDRESS_HEADER = 'x-assayer-address';

/** An identity provider of the operator's choice. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What the button calls it. */
  readonly name: string;
}

export const PROVIDER_ID = 'provider';

export const passkeyRoutes: readonly RegExp[] = [
  /^GET \/passkey\/generate-(?:authenticate|register)-options$/,
  /^POST \/passkey\/verify-(?:authentication|registration)$/,
];
export const providerRoutes: readonly RegExp[] = [new RegExp(`^GET /callback/${PROVIDER_ID}$`)];
/** What programs ask themselves; registration and authorization have routes of ours in front of them. */
export const oauthRoutes: readonly RegExp[] = [
  /^POST \/oauth2\/(?:token|revoke|register)$/,
  /^GET \/oauth2\/authorize$/,
  /^GET \/jwks$/,
];
