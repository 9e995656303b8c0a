/**
 * The packages of the sign-in library in parts, the innermost first: an import holds the event loop until all that it
 * still lacks is loaded, so no part should take 100 ms.
 */
export const signInModules: readonly (() => Promise<unknown>)[] = [
  () => import('jose'),
  () => import('better-call'),
  () => import('@better-auth/core/social-providers'),
  () => import('better-auth/crypto'),
  () => import('better-auth/db'),
  () => import('better-auth/cookies'),
  () => import('better-auth/api'),
  () => import('better-auth/plugins/organization'),
  () => import('better-auth/minimal'),
  () => import('better-auth/plugins/device-authorization'),
  () => import('better-auth/plugins/jwt'),
  () => import('better-auth/plugins'),
  () => import('@better-auth/passkey'),
  () => import('@better-auth/oauth-provider'),
  () => import('@better-auth/mcp'),
  () => import('./library.ts'),
];
