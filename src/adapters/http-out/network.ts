/** Names and sockets of the Internet, as `outgoing.ts` takes them. */
import { Resolver } from 'node:dns/promises';
import { connect as openSocket, type Socket } from 'node:net';
import { isLocalhost } from './receiver.ts';

/** Finds every address of a name; rejects, or answers none, where there is none. */
export type Resolve = (name: string) => Promise<readonly string[]>;
/** Begins a connection to an address that was checked. */
export type Connect = (address: string, port: number) => Socket;

const DNS_TIMEOUT_MS = 3_000;
const DNS_TRIES = 2;

/**
 * Asks the name servers alone: the hosts file and the search domains of this machine name what is inside its network.
 */
export const resolveByDns: Resolve = async (name) => {
  if (isLocalhost(name)) return ['127.0.0.1', '::1'];
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
};

export const connectDirectly: Connect = (address, port) => openSocket({ host: address, port, noDelay: true });
