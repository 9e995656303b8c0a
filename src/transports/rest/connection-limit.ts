/** One client address never holds all the connections there are. */
import { BlockList, isIPv6, type Server, type Socket } from 'node:net';

export interface ConnectionPolicy {
  readonly perAddressMax: number;
  /** Behind these are many clients, who share its address here. */
  readonly trustedProxies: readonly string[];
}

/** Connections beyond the limit are closed before anything is read from them. */
export function limitConnections(server: Server, { perAddressMax, trustedProxies }: ConnectionPolicy): void {
  const proxies = networksOf(trustedProxies);
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress);
    if (address === undefined || proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return;
    const count = (open.get(address) ?? 0) + 1;
    if (count > perAddressMax) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

function networksOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** A socket that listens for both families tells an address of the older one in the form of the newer. */
function plainAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/i, '');
}
