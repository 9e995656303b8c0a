/** The packages of the sign-in library, one load for each, so that no turn of the event loop loads all of them. */
export const signInModules: readonly (() => Promise<unknown>)[] = [
  () => import('@better-auth/core'),
  () => import('better-auth/minimal'),
  () => import('better-call'),
  () => import('@better-auth/passkey'),
  () => import('@better-auth/oauth-provider'),
  () => import('@better-auth/mcp'),
  () => import('./library.ts'),
];
