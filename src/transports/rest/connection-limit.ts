/** Limits the connections of one client address, so that none can use all of them. */
import { BlockList, isIPv6, type Server, type Socket } from 'node:net';

export interface ConnectionPolicy {
  readonly perAddressMax: number;
  /** Addresses with many clients behind them; the limit does not apply to them. */
  readonly trustedProxies: readonly string[];
}

/** Closes connections beyond the limit before anything is read from them. */
export function limitConnections(server: Server, { perAddressMax, trustedProxies }: ConnectionPolicy): void {
  const proxies = createBlockList(trustedProxies);
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = toPlainAddress(socket.remoteAddress);
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

function createBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** A socket for both address families reports IPv4 addresses in IPv6 form. */
function toPlainAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/i, '');
}
