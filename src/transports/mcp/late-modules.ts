/** The library, and before it what its schemas are made of; that is its dependency, not ours. */
const PACKAGES = [
  'zod/v4/core',
  'zod/v4/locales',
  'zod/v4',
  '@modelcontextprotocol/core/internal',
  '@modelcontextprotocol/server',
];

/** The tool protocol in parts, the innermost first, so that no turn of the event loop loads all of it. */
export const protocolModules: readonly (() => Promise<unknown>)[] = [
  ...PACKAGES.map((name) => () => import(name)),
  // Node itself loads its client of HTTP with the first use of it.
  () => Promise.resolve(globalThis.Headers),
  () => import('./protocol.ts'),
];
