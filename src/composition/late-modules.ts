/**
 * Loads in the background, once the service is ready, the packages that only some requests need: the first of them then
 * does not wait for them, and does not hold the event loop while others wait.
 */
import { signInModules } from '#adapters/people/late-modules.ts';
import { loadInTurns } from '#core/load-in-turns.ts';
import { protocolModules } from '#transports/mcp/index.ts';

interface LateParts {
  readonly people: { loadLibrary(): Promise<unknown> };
}

/** Loads sign-in, which the first requests of people come to, then the tool protocol, until the signal ends it. */
export async function loadLateModules({ people }: LateParts, signal: AbortSignal): Promise<void> {
  await loadInTurns([...signInModules, () => people.loadLibrary(), ...protocolModules], signal);
}
