// tidy-allow import-hidden: names packages, which no rule about files concerns
/** Packages that the sign-in library is made of, the innermost first; most are its dependencies, not ours. */
const PACKAGES = [
  'jose',
  'zod/v4/core',
  'zod/v4/locales',
  'zod',
  'better-call',
  '@better-auth/core/error',
  '@better-auth/core/oauth2',
  '@better-auth/core/api',
  '@better-auth/core/social-providers',
  'better-auth/crypto',
  'better-auth/db',
  'better-auth/cookies',
  'better-auth/api',
  'better-auth/plugins/organization',
  'better-auth/minimal',
  'better-auth/plugins/device-authorization',
  'better-auth/plugins/jwt',
  'better-auth/plugins/two-factor',
  'better-auth/plugins/email-otp',
  'better-auth/plugins/phone-number',
  'better-auth/plugins/generic-oauth',
  'better-auth/plugins/admin',
  'better-auth/plugins/siwe',
  'better-auth/plugins',
  // What the library for passkeys is made of.
  'reflect-metadata',
  'tsyringe',
  '@peculiar/asn1-schema',
  '@peculiar/asn1-x509',
  '@peculiar/asn1-cms',
  '@peculiar/asn1-pkcs9',
  '@peculiar/asn1-csr',
  '@peculiar/asn1-ecc',
  '@peculiar/asn1-rsa',
  '@peculiar/asn1-android',
  '@peculiar/x509',
  '@simplewebauthn/server',
  '@better-auth/passkey',
  '@better-auth/oauth-provider',
  '@better-auth/mcp',
];

/**
 * The packages of the sign-in library in parts, the innermost first: an import holds the event loop until all that it
 * still lacks is loaded, so no part should take 100 ms.
 */
export const signInModules: readonly (() => Promise<unknown>)[] = [
  ...PACKAGES.map((name) => () => import(name)),
  // Node itself loads its client of HTTP with the first use of it.
  () => Promise.resolve(globalThis.Request),
];
