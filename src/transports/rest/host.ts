/** The header Host of a request (RFC 9112 §3.2): one, and a host with at most a port. */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { fail, type Failure } from '#core/failures.ts';

const PORT_MAX = 65_535;
/** RFC 3986 §3.2.2: a name of unreserved characters, signs and percent-encoded bytes, or an address in brackets. */
const FORM =
  /^(?:((?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)|\[([\da-f:.]+)\]|\[v[\da-f]+\.[\w.~!$&'()*+,;=:-]+\])(?::(\d*))?$/i;

/** Finds why the header Host cannot be used; Node itself takes the first of several. */
export function findHostProblem({ httpVersion, headers, rawHeaders }: IncomingMessage): Failure | undefined {
  const { host } = headers;
  if (host === undefined) return httpVersion === '1.1' ? refuse('the header Host is missing.') : undefined;
  if (countHosts(rawHeaders) > 1) return refuse('the header Host is there more than once; send it once.');
  return isHost(host)
    ? undefined
    : refuse('the header Host is no host name or address with an optional port.');
}

/** Names and values alternate. */
function countHosts(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
}

function isHost(value: string): boolean {
  const match = FORM.exec(value);
  if (match === null) return false;
  const [, , address, port = ''] = match;
  return (address === undefined || isIPv6(address)) && Number(port) <= PORT_MAX;
}

function refuse(reason: string): Failure {
  return fail('invalid_request', { reason });
}
