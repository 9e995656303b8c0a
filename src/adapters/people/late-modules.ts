/** What the library for passkeys is made of, the innermost first; they are its dependencies, not ours. */
const CERTIFICATE_PACKAGES = [
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
];

/** What the first two parts of the library are made of. */
const SCHEMA_PACKAGES = ['zod/v4/core', 'zod/v4/locales', 'zod'];
const CORE_PACKAGES = ['@better-auth/core/error', '@better-auth/core/oauth2', '@better-auth/core/api'];

const load = (name: string) => (): Promise<unknown> => import(name);

/**
 * The packages of the sign-in library in parts, the innermost first: an import holds the event loop until all that it
 * still lacks is loaded, so no part should take 100 ms.
 */
export const signInModules: readonly (() => Promise<unknown>)[] = [
  () => import('jose'),
  ...SCHEMA_PACKAGES.map(load),
  () => import('better-call'),
  ...CORE_PACKAGES.map(load),
  () => import('@better-auth/core/social-providers'),
  () => import('better-auth/crypto'),
  () => import('better-auth/db'),
  () => import('better-auth/cookies'),
  () => import('better-auth/api'),
  () => import('better-auth/plugins/organization'),
  () => import('better-auth/minimal'),
  () => import('better-auth/plugins/device-authorization'),
  () => import('better-auth/plugins/jwt'),
  () => import('better-auth/plugins/two-factor'),
  () => import('better-auth/plugins/email-otp'),
  () => import('better-auth/plugins/phone-number'),
  () => import('better-auth/plugins/generic-oauth'),
  () => import('better-auth/plugins/admin'),
  () => import('better-auth/plugins/siwe'),
  () => import('better-auth/plugins'),
  ...CERTIFICATE_PACKAGES.map(load),
  () => import('@better-auth/passkey'),
  () => import('@better-auth/oauth-provider'),
  () => import('@better-auth/mcp'),
  // Node itself loads its client of HTTP with the first use of it.
  () => Promise.resolve(globalThis.Request),
  () => import('./library.ts'),
];
