/** Checks that the service may listen on the address of its settings, before the database is started. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { findSystemCode } from '#adapters/postgres/embedded/errors.ts';
import type { Settings } from '#settings/settings.ts';
import { CommandError } from './command-error.ts';

type Address = Pick<Settings, 'host' | 'port'>;

export async function requireListenAddress({ host, port }: Address): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    throw explainListen(error, { host, port });
  }
  server.close();
  await once(server, 'close');
}

/** Converts an error of listening to a sentence; returns any other error unchanged. */
export function explainListen(error: unknown, { host, port }: Address): unknown {
  switch (findSystemCode(error)) {
    case 'EADDRINUSE':
      return new CommandError(
        `Port ${port} on ${host} is in use; stop what uses it or choose another with --port.`,
      );
    case 'EACCES':
      return new CommandError(`This user may not listen on port ${port}; choose one above 1023.`);
    case 'EADDRNOTAVAIL':
      return new CommandError(
        `HOST ${host} is not an address of this machine; use 127.0.0.1, 0.0.0.0 or one that it has.`,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
      return new CommandError(
        `HOST ${host} cannot be found by its name; use an address of this machine such as 127.0.0.1.`,
      );
    case 'EINVAL':
    case 'EAFNOSUPPORT':
      return new CommandError(
        `HOST ${host} cannot be listened on from this machine; use an address such as 127.0.0.1.`,
      );
    default:
      return error;
  }
}
