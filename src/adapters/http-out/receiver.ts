/**
 * Where a webhook may be sent: the rules for the URL of its receiver, and for the IP addresses to which the host name
 * of that URL resolves. Registration and every connection use the same functions.
 */
import { BlockList, isIP } from 'node:net';

export interface ReceiverPolicy {
  /** Also allows loopback receivers, which may use http and every port. */
  readonly allowsLoopback: boolean;
  /** Ports that other receivers may use. */
  readonly ports: readonly number[];
}

const PUBLIC: Pick<ReceiverPolicy, 'allowsLoopback'> = { allowsLoopback: false };
const URL_LENGTH_MAX = 2_000;
/** Limits of a name, RFC 1035 §2.3.4. */
const NAME_LENGTH_MAX = 253;
const LABEL_LENGTH_MAX = 63;

/** IPv4 networks that are not public: the special-purpose registry of IANA, and metadata services of cloud providers. */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Special networks inside the global unicast block; everything outside that block is rejected. */
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const specialIpv4 = createBlockList(SPECIAL_IPV4, 'ipv4');
const specialIpv6 = createBlockList(SPECIAL_IPV6, 'ipv6');
const globalUnicast = createBlockList([['2000::', 3]], 'ipv6');
const loopback = createBlockList([['127.0.0.0', 8]], 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Names that only exist inside a private network: RFC 6761, RFC 6762, RFC 8375, and `.internal` (ICANN 2024). */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

export type Receiver =
  | {
      readonly url: URL;
      /** The host name, or the IP address without brackets. */
      readonly host: string;
      /** The IP address that stands in the URL; null for a host name. */
      readonly ipAddress: string | null;
    }
  | { readonly problem: string };

/** Parses the URL of a receiver, or says why it may not be one. */
export function parseReceiver(text: string, policy: ReceiverPolicy): Receiver {
  if (text.length > URL_LENGTH_MAX) return { problem: `must have at most ${URL_LENGTH_MAX} characters` };
  // The parser drops tabs and newlines and turns backslashes into slashes, so a person would read another URL.
  if (/[\s\\\p{Cc}\p{Cf}]/u.test(text))
    return { problem: 'must not contain spaces, control characters or backslashes' };
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text))
    return { problem: 'must be an absolute https address' };
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    return { problem: 'must not contain a user name or password' };
  if (text.includes('#')) return { problem: 'must not contain a fragment (#…)' };
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const isLocal = policy.allowsLoopback && (isLoopbackAddress(host) || isLocalhost(host));
  const problem = isLocal ? null : (findSchemeProblem(url, policy) ?? findHostProblem(host));
  if (problem !== null) return { problem };
  return { url, host, ipAddress: isIP(host) === 0 ? null : host };
}

function findSchemeProblem(url: URL, policy: ReceiverPolicy): string | null {
  if (url.protocol !== 'https:') return 'must start with https://';
  const port = url.port === '' ? 443 : Number(url.port);
  if (policy.ports.includes(port)) return null;
  return `must use ${policy.ports.length === 1 ? 'port' : 'one of the ports'} ${policy.ports.join(', ')}`;
}

/** RFC 6761 §6.3. */
export function isLocalhost(host: string): boolean {
  return /(?:^|\.)localhost$/.test(host);
}

function findHostProblem(host: string): string | null {
  if (isIP(host) !== 0) return findIpAddressProblem(host, PUBLIC);
  const isLong = host.length > NAME_LENGTH_MAX || host.split('.').some((label) => !isLabel(label));
  if (isLong) return 'must have a host name of the Internet';
  if (!host.includes('.') || PRIVATE_NAMES.test(host))
    return `must be reachable from the Internet; ${host} is a name of a private network`;
  return null;
}

function isLabel(label: string): boolean {
  return label.length > 0 && label.length <= LABEL_LENGTH_MAX;
}

/** Says why a webhook may not be sent to an IP address; null where it may. */
export function findIpAddressProblem(
  address: string,
  policy: Pick<ReceiverPolicy, 'allowsLoopback'>,
): string | null {
  if (isPublicAddress(address)) return null;
  if (policy.allowsLoopback && isLoopbackAddress(address)) return null;
  return `must be reachable from the Internet; ${address} is not a public address`;
}

export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !specialIpv4.check(address, 'ipv4');
  if (family !== 6) return false;
  return globalUnicast.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

function createBlockList(
  networks: readonly (readonly [string, number])[],
  family: 'ipv4' | 'ipv6',
): BlockList {
  const list = new BlockList();
  for (const [address, bits] of networks) list.addSubnet(address, bits, family);
  return list;
}
