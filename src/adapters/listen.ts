/** Tries the address on which a service is to listen, and says what is wrong with it. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { findErrorCode } from '#core/records.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export async function tryToListen({ host, port }: ListenAddress): Promise<void> {
  const server = createServer();
  server.listen({ host, port, exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/** A sentence for the operator; undefined for an error that is not about the address. */
export function describeListenFailure(error: unknown, { host, port }: ListenAddress): string | undefined {
  switch (findErrorCode(error)) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use; stop what uses it or choose another with --port.`;
    case 'EACCES':
      return `This user may not listen on port ${port}; choose one above 1023.`;
    case 'EADDRNOTAVAIL':
      return `HOST ${host} is not an address of this machine; use 127.0.0.1, 0.0.0.0 or one that it has.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
      return `HOST ${host} cannot be found by its name; use an address of this machine such as 127.0.0.1.`;
    case 'EINVAL':
    case 'EAFNOSUPPORT':
      return `HOST ${host} cannot be listened on from this machine; use an address such as 127.0.0.1.`;
    default:
      return undefined;
  }
}
