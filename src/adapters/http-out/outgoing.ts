/**
 * Sends requests to URLs that clients name. The host name is resolved here, every IP address behind it is checked,
 * and the connection goes to an address that was checked, with the name for TLS: a name that resolves to something else
 * a moment later changes nothing. Redirects are not followed, and no proxy of the environment is used.
 * This folder: the only way to hosts that clients name. Not here: what is sent there (`features/webhooks`).
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Inspection, Outgoing, OutgoingOutcome, OutgoingRequest } from '#core/outgoing.ts';
import type { Connect, Resolve } from './network.ts';
import { findIpAddressProblem, isLocalhost, parseReceiver, type ReceiverPolicy } from './receiver.ts';

/** Not imported: an import of this module reads all that it exports, which makes Node load its whole `fetch`. */
const { request: sendRequest } = process.getBuiltinModule('node:http');
/** The begin of an answer, for people who look for a fault. */
const LENGTH_MAX = 500;
const HIDDEN = '***';
/** Shorter words of a value, such as its scheme, are no secret by themselves. */
const WORD_LENGTH_MIN = 8;

/** Hides first and cuts then, so that no part of what is hidden remains at the cut. */
export function formatExcerpt(text: string, hidden: readonly string[]): string {
  // The longest first, because one may be a part of another.
  const forms = [...new Set(hidden.flatMap(listForms))].toSorted((a, b) => b.length - a.length);
  return forms
    .reduce((open, form) => open.replaceAll(form, HIDDEN), text)
    .slice(0, LENGTH_MAX)
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .toWellFormed()
    .trim();
}

/** A value as a receiver may repeat it: whole, its credential alone, and both inside JSON or an address. */
function listForms(value: string): string[] {
  const words = value.split(/\s+/).filter((word) => word.length >= WORD_LENGTH_MIN);
  return [value, ...words].flatMap((each) => [
    each,
    JSON.stringify(each).slice(1, -1),
    encodeURIComponent(each),
  ]);
}

const BODY_BYTES_MAX = 64 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;
/** What may come before the status: interim answers and blank lines have no other limit. */
const INTERIM_BYTES_MAX = 2 * HEADER_BYTES_MAX;
/** What may come as a whole: frames of a body and what follows it have no other limit. */
const ANSWER_BYTES_MAX = INTERIM_BYTES_MAX + 2 * BODY_BYTES_MAX;
/** Addresses of a name that are tried one after another. */
const ADDRESSES_TRIED_MAX = 3;

export interface OutgoingParts {
  readonly policy: ReceiverPolicy;
  readonly resolve: Resolve;
  readonly connect: Connect;
  /** For the whole request, from the resolution of the name to the end of the answer. */
  readonly timeoutMs: number;
  /** Certificate authorities in PEM beside those of the system, for receivers with a certificate of a lab's own. */
  readonly authorities?: readonly string[];
}

/** An allowed receiver with the addresses that were checked. */
interface Destination {
  readonly url: URL;
  readonly host: string;
  readonly addresses: readonly string[];
}

type Found = Destination | { readonly problem: string } | { readonly unresolved: string };

export function createOutgoing(parts: OutgoingParts): Outgoing {
  return {
    inspect: (url) => inspect(parts, url),
    async post(request) {
      const deadline = AbortSignal.timeout(parts.timeoutMs);
      try {
        const destination = await limitTime(findDestination(parts, request.url), deadline);
        if ('problem' in destination)
          return { kind: 'refused', reason: `The address ${destination.problem}.` };
        if ('unresolved' in destination) return { kind: 'failed', reason: destination.unresolved };
        return await sendTo(parts, destination, request, deadline);
      } catch (error) {
        return { kind: 'failed', reason: describeFailure(error, deadline, parts.timeoutMs) };
      }
    },
  };
}

async function inspect(parts: OutgoingParts, url: string): Promise<Inspection> {
  const destination = await findDestination(parts, url);
  if ('problem' in destination) return { problem: destination.problem, warning: null };
  if ('unresolved' in destination) return { problem: null, warning: destination.unresolved };
  return { problem: null, warning: null };
}

async function findDestination({ policy, resolve }: OutgoingParts, text: string): Promise<Found> {
  const receiver = parseReceiver(text, policy);
  if ('problem' in receiver) return receiver;
  const { url, host, ipAddress } = receiver;
  if (ipAddress !== null) return { url, host, addresses: [ipAddress] };
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0)
    return { unresolved: `The name ${host} does not resolve to an address. Check it and its DNS records.` };
  // Only localhost may resolve to this machine: any other name that does is an attempt to reach it.
  const own = { allowsLoopback: policy.allowsLoopback && isLocalhost(host) };
  if (addresses.some((each) => findIpAddressProblem(each, own) !== null))
    return {
      problem: `must be reachable from the Internet; ${host} resolves to an address that is not public`,
    };
  return { url, host, addresses: addresses.slice(0, ADDRESSES_TRIED_MAX) };
}

async function sendTo(
  parts: OutgoingParts,
  { url, host, addresses }: Destination,
  { headers, body, hidden = [] }: OutgoingRequest,
  deadline: AbortSignal,
): Promise<OutgoingOutcome> {
  const plain = await connectToOne(parts, addresses, Number(url.port || getDefaultPort(url)), deadline);
  try {
    const socket = url.protocol === 'https:' ? await startTls(parts, plain, host, deadline) : plain;
    const response = await limitTime(sendOver(socket, url, { headers, body }), deadline);
    return await readAnswer(response, hidden, deadline);
  } finally {
    plain.destroy();
  }
}

async function sendOver(
  socket: Socket,
  url: URL,
  { headers, body }: Omit<OutgoingRequest, 'url'>,
): Promise<IncomingMessage> {
  const bytes = Buffer.from(body, 'utf8');
  return new Promise((resolve, reject) => {
    const request = sendRequest({
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, 'content-length': bytes.length, connection: 'close' },
      createConnection: () => socket,
      setHost: false,
      maxHeaderSize: HEADER_BYTES_MAX,
    });
    request.on('error', reject);
    request.once('socket', () => limitAnswer(request, socket));
    request.once('upgrade', () => reject(new Error('the receiver asked for another protocol')));
    request.once('response', resolve);
    request.end(bytes);
  });
}

/** Reading without an end would take the time of everybody else. Called once the parser listens, so that it is first. */
function limitAnswer(request: ClientRequest, socket: Socket): void {
  let [length, lengthMax] = [0, INTERIM_BYTES_MAX];
  request.once('response', () => (lengthMax = ANSWER_BYTES_MAX));
  socket.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > lengthMax)
      socket.destroy(Object.assign(new Error('the answer does not end'), { code: TOO_LARGE }));
  });
}

function getDefaultPort(url: URL): string {
  return url.protocol === 'https:' ? '443' : '80';
}

/** Tries the addresses in turn: nothing was sent to one that did not accept the connection. */
async function connectToOne(
  { connect }: OutgoingParts,
  addresses: readonly string[],
  port: number,
  deadline: AbortSignal,
): Promise<Socket> {
  let failure: unknown = new Error('there is no address to connect to');
  for (const address of addresses) {
    deadline.throwIfAborted();
    const socket = connect(address, port);
    try {
      await limitTime(waitFor(socket, 'connect'), deadline);
      socket.on('error', ignoreLateError);
      return socket;
    } catch (error) {
      socket.destroy();
      failure = error;
    }
  }
  throw failure;
}

async function startTls(
  { authorities }: OutgoingParts,
  socket: Socket,
  host: string,
  deadline: AbortSignal,
): Promise<Socket> {
  const isName = !/^[\d.]+$|:/.test(host);
  const secured = connectTls({
    socket,
    // A literal address has no server name, RFC 6066 §3; the certificate is still checked against it.
    ...(isName ? { servername: host } : {}),
    host,
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // Otherwise NODE_TLS_REJECT_UNAUTHORIZED of the environment decides.
    rejectUnauthorized: true,
    ...(authorities === undefined ? {} : { ca: [...authorities] }),
  });
  secured.on('error', ignoreLateError);
  await limitTime(waitFor(secured, 'secureConnect'), deadline);
  return secured;
}

/** Errors that come after the outcome is known, such as a reset while the socket closes. */
function ignoreLateError(): void {}

function waitFor(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the receiver closed the connection')));
  });
}

/** Reads the beginning of the answer; a body without an end, or a slow one, is cut off, because the status is known. */
async function readAnswer(
  response: IncomingMessage,
  hidden: readonly string[],
  deadline: AbortSignal,
): Promise<OutgoingOutcome> {
  const chunks: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      deadline.removeEventListener('abort', finish);
      response.destroy();
      resolve();
    };
    deadline.addEventListener('abort', finish, { once: true });
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= BODY_BYTES_MAX) finish();
    });
    response.once('end', finish);
    response.on('error', finish);
    response.once('close', finish);
  });
  const text = Buffer.concat(chunks).subarray(0, BODY_BYTES_MAX).toString('utf8');
  return {
    kind: 'answered',
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'] ?? null,
    excerpt: formatExcerpt(text, hidden),
  };
}

/** Rejects when the deadline passes first; the caller then destroys what it opened. */
function limitTime<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(new Error('the time limit has passed'));
    if (deadline.aborted) stop();
    deadline.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => deadline.removeEventListener('abort', stop));
  });
}

const TOO_LARGE = 'ANSWER_TOO_LARGE';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The receiver refused the connection. Check that a server listens at this port.',
  ECONNRESET: 'The receiver closed the connection before it answered.',
  EHOSTUNREACH: 'The receiver cannot be reached from here.',
  ENETUNREACH: 'The receiver cannot be reached from here.',
  ETIMEDOUT: 'The receiver did not accept the connection in time.',
  EPIPE: 'The receiver closed the connection before it answered.',
  CERT_HAS_EXPIRED: 'The TLS certificate of the receiver has expired. Renew it.',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'The TLS certificate of the receiver is self-signed. Use one of a public authority.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'The TLS certificate of the receiver is self-signed. Use one of a public authority.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'The TLS certificate of the receiver is of an authority that is not known here. Use one of a public authority.',
  CERT_SIGNATURE_FAILURE:
    'The TLS certificate of the receiver was not signed by the authority that it names. Replace it.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The receiver does not send its whole chain of TLS certificates.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The TLS certificate of the receiver is for another name.',
  HPE_HEADER_OVERFLOW: 'The headers of the answer are too large.',
  [TOO_LARGE]: 'The answer is too large.',
};

function describeFailure(error: unknown, deadline: AbortSignal, timeoutMs: number): string {
  if (deadline.aborted) return `The receiver did not answer within ${timeoutMs / 1_000} s.`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = REASONS[code];
  if (reason !== undefined) return reason;
  if (code.startsWith('HPE_')) return 'The answer is not valid HTTP/1.1.';
  if (code.startsWith('ERR_SSL') || code.startsWith('EPROTO')) return 'The TLS handshake failed.';
  return `The request failed${code === '' ? '' : ` (${code})`}. Check the receiver.`;
}
