/**
 * This folder: implementations of ports that `core` and `features` declare, and what they share. Not here: decisions, SQL
 * of a noun, anything that a request sees.
 */
import { isIP } from 'node:net';

/** An IP address, or a network in CIDR notation (RFC 4632, RFC 4291). */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}
