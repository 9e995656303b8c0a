/**
 * Loads in the background, once the service is ready, what only some requests need: the first of them then does not
 * wait for it, and does not hold the event loop while others wait.
 */
import { signInModules } from '#adapters/people/late-modules.ts';
import { loadInTurns, type Load } from '#core/load-in-turns.ts';
import { protocolModules } from '#transports/mcp/late-modules.ts';
import { pageModules } from './page-modules.ts';

interface LateParts {
  /** Its list of routes loads the pages. */
  readonly app: { listRoutes(): Promise<unknown> };
  readonly people: { loadLibrary(): Promise<unknown> };
}

/** What the first requests of people come to stands first: sign-in and pages, then tools. */
function listLateModules({ app, people }: LateParts): Load[] {
  return [
    () => import('#transports/validate.ts'),
    ...signInModules,
    () => people.loadLibrary(),
    ...pageModules,
    () => app.listRoutes(),
    ...protocolModules,
  ];
}

/** Loads all of them, until the signal ends it. */
export async function loadLateModules(service: LateParts, signal: AbortSignal): Promise<void> {
  await loadInTurns(listLateModules(service), signal);
}
