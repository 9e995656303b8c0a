/**
 * Loads in the background, once the service is ready, what only some requests need: the first of them then does not
 * wait for it, and does not hold the event loop while others wait.
 */
import { setImmediate as turnLoop } from 'node:timers/promises';
import { signInModules } from '#adapters/people/late-modules.ts';
import { bindings } from '#transports/operations.ts';
import { pageModules } from '#transports/pages/late-modules.ts';

type Load = () => Promise<unknown>;

interface LateParts {
  /** Its list of routes loads the pages. */
  readonly app: { listRoutes(): Promise<unknown> };
  readonly people: { loadLibrary(): Promise<unknown> };
}

/** What the first requests of people come to stands first: sign-in and pages, then operations, then tools. */
function listLateModules({ app, people }: LateParts): Load[] {
  return [
    () => import('#transports/validate.ts'),
    ...signInModules,
    () => people.loadLibrary(),
    ...pageModules,
    () => app.listRoutes(),
    ...bindings.map(({ load }) => load),
    () => import('@modelcontextprotocol/server'),
    () => import('#transports/mcp/protocol.ts'),
  ];
}

/**
 * Loads one module after the other, each in turns of the event loop of its own, until the signal ends it. A module that
 * cannot be loaded is left to the request that needs it, which tells why.
 */
export async function loadLateModules(
  service: LateParts,
  signal: AbortSignal,
  loads: readonly Load[] = listLateModules(service),
): Promise<void> {
  for (const load of loads) {
    await turnLoop();
    if (signal.aborted) return;
    await load().catch(() => undefined);
  }
}
