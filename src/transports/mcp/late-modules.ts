/** What the schemas of the library are made of; it is its dependency, not ours. */
const INNERMOST = ['zod/v4/core', 'zod/v4/locales', 'zod/v4', '@modelcontextprotocol/core/internal'];

/** The tool protocol in parts, the innermost first, so that no turn of the event loop loads all of it. */
export const protocolModules: readonly (() => Promise<unknown>)[] = [
  ...INNERMOST.map((name) => () => import(name)),
  () => import('@modelcontextprotocol/server'),
  () => import('./parameters.ts'),
  // Node itself loads its client of HTTP with the first use of it.
  () => Promise.resolve(globalThis.Headers),
  () => import('./protocol.ts'),
];
