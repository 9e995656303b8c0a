/** What no client library sends: requests written by hand on a socket. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Chance } from './chance.ts';

export interface SocketShot {
  readonly name: string;
  /** Written one after another, each once the one before is out. */
  readonly parts: readonly Buffer[];
  /** Closes its side after the last part instead of waiting for the answer. */
  readonly breaksOff: boolean;
  /** Every answer must come from us and have our form; where the peer ends the request itself, none may come. */
  readonly mayBeSilent: boolean;
}

const WAIT_MS = 10_000;

type Make = (
  chance: Chance,
  token: string,
) => Omit<SocketShot, 'name' | 'breaksOff' | 'mayBeSilent'> & Partial<SocketShot>;

function createRequest(line: string, headers: readonly string[], body: string | Buffer = ''): Buffer {
  const head = [line, 'Host: 127.0.0.1', ...headers, 'Connection: close', '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

const createOne = (
  line: string,
  headers: readonly string[] = [],
  body: string | Buffer = '',
): { parts: Buffer[] } => ({
  parts: [createRequest(line, headers, body)],
});

const JSON_TYPE = 'Content-Type: application/json';
const writeBearer = (token: string): string => `Authorization: Bearer ${token}`;
const post = (
  path: string,
  token: string,
  headers: readonly string[],
  body: string | Buffer,
): { parts: Buffer[] } =>
  createOne(`POST /api/v1${path} HTTP/1.1`, [writeBearer(token), JSON_TYPE, ...headers], body);

const METHODS = [
  'get',
  'GETT',
  'G ET',
  '',
  'CONNECT',
  'TRACE',
  'PROPFIND',
  'QUERY',
  'M-SEARCH',
  'PRI',
  '\u0000GET',
  'PURGE',
  'LINK',
];
const TARGETS = [
  '*',
  '//',
  '/api/v1/whoami#x',
  'http://evil.example/api/v1/whoami',
  'evil.example:443',
  '/\u00ff\u00fe',
  '/a b',
  '/%',
  '/%ff',
  '/api/v1/experiments/%00',
  '/api/v1//whoami',
  '/api/../api/v1/whoami',
  '\\api\\v1',
  '?',
  '/?%',
  '/..;/',
  '/api/v1/whoami?%',
  '/sign-in?next=%ff',
];
const VERSIONS = [
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/1.2',
  'HTTP/9.9',
  'http/1.1',
  'HTTPS/1.1',
  '',
  'ICY',
];

const kinds: Readonly<Record<string, Make>> = {
  'an odd method': (chance) => ({
    ...createOne(`${chance.pick(METHODS)} /api/v1/whoami HTTP/1.1`),
    mayBeSilent: true,
  }),
  'an odd target': (chance, token) => createOne(`GET ${chance.pick(TARGETS)} HTTP/1.1`, [writeBearer(token)]),
  'an odd version': (chance, token) =>
    createOne(`GET /api/v1/whoami ${chance.pick(VERSIONS)}`, [writeBearer(token)]),
  'a long address': (chance, token) =>
    createOne(
      `GET /api/v1/${chance.pick(['experiments/', 'whoami?x=', 'results?filter='])}${'a'.repeat(chance.pick([301, 5_000, 15_000, 17_000, 70_000]))} HTTP/1.1`,
      [writeBearer(token)],
    ),
  'a long parameter of a write': (chance, token) =>
    post(`/quotes/${'q'.repeat(chance.pick([301, 4_000]))}/confirm`, token, ['Content-Length: 2'], '{}'),
  'large headers': (chance) =>
    createOne('GET /api/v1/whoami HTTP/1.1', [`X-Filler: ${'f'.repeat(chance.pick([8_000, 17_000]))}`]),
  'many headers': (chance) =>
    createOne(
      'GET /api/v1/whoami HTTP/1.1',
      Array.from({ length: chance.pick([500, 2_500]) }, (_, at) => `X-${at}: 1`),
    ),
  'an odd header': (chance) =>
    createOne('GET /api/v1/info/health HTTP/1.1', [
      chance.pick([
        'No-Colon',
        ': empty',
        'A b: c',
        'X: \u0000',
        'X: a\rb',
        ' Folded: x',
        'X\u00ff: y',
        'Host: twice',
        'Host : spaced',
        'X: \u00ff\u00fe',
      ]),
    ]),
  'no host': () => ({
    parts: [Buffer.from('GET /api/v1/info/health HTTP/1.1\r\nConnection: close\r\n\r\n')],
  }),
  'an expectation': (chance, token) =>
    post(
      '/experiments',
      token,
      [`Expect: ${chance.pick(['nonsense', '200-ok', '100-continue, x', ''])}`, 'Content-Length: 2'],
      '{}',
    ),
  'an expectation of an upload': (chance, token) =>
    createOne(
      'PUT /api/v1/lab/experiments/x/files/a.csv HTTP/1.1',
      [writeBearer(token), `Expect: ${chance.pick(['nonsense', '100-continue'])}`, 'Content-Length: 3'],
      'a,b',
    ),
  '100-continue': (_chance, token) =>
    post('/experiments', token, ['Expect: 100-continue', 'Content-Length: 2'], '{}'),
  'a wrong length': (chance, token) =>
    post(
      '/experiments',
      token,
      [
        `Content-Length: ${chance.pick(['-1', 'x', '1e3', '0x10', '99999999999999999999', '+2', '2, 3', ''])}`,
      ],
      '{}',
    ),
  'a length that is too small': (_chance, token) => ({
    ...post('/experiments', token, ['Content-Length: 1'], '{"name":1}'),
  }),
  'two lengths': (_chance, token) =>
    post('/experiments', token, ['Content-Length: 2', 'Content-Length: 3'], '{} '),
  'a length and chunks': (_chance, token) =>
    post('/experiments', token, ['Content-Length: 7', 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'),
  'odd chunks': (chance, token) =>
    post(
      '/experiments',
      token,
      ['Transfer-Encoding: chunked'],
      chance.pick([
        'zz\r\n{}\r\n0\r\n\r\n',
        '-1\r\n\r\n',
        '2;ext="\u0000"\r\n{}\r\n0\r\n\r\n',
        'ffffffffffffffffff\r\n{}',
        '2\r\n{}x\r\n0\r\n\r\n',
        '0\r\nTrailer: x\r\n\r\n',
      ]),
    ),
  'an odd encoding': (chance, token) =>
    post(
      '/experiments',
      token,
      [`Transfer-Encoding: ${chance.pick(['gzip', 'identity', 'chunked, chunked', 'xchunked', ''])}`],
      '2\r\n{}\r\n0\r\n\r\n',
    ),
  'bytes that are no UTF-8': (_chance, token) =>
    post(
      '/experiments/validate',
      token,
      ['Content-Length: 13'],
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    ),
  'a body that breaks off': (chance, token) => ({
    ...post(
      chance.pick(['/experiments', '/tokens/attenuate', '/feedback/submit']),
      token,
      ['Content-Length: 5000'],
      '{"name":"x',
    ),
    breaksOff: true,
    mayBeSilent: true,
  }),
  'an upload that breaks off': (_chance, token) => ({
    ...createOne(
      'PUT /api/v1/lab/experiments/x/files/a.csv HTTP/1.1',
      [writeBearer(token), 'Content-Length: 5000'],
      '# assayer-traces: 1\n',
    ),
    breaksOff: true,
    mayBeSilent: true,
  }),
  'a form that breaks off': () => ({
    ...createOne(
      'POST /sign-in HTTP/1.1',
      ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 500'],
      'email=x',
    ),
    breaksOff: true,
    mayBeSilent: true,
  }),
  'a message that breaks off': (_chance, token) => ({
    ...createOne('POST /mcp/ HTTP/1.1', [writeBearer(token), JSON_TYPE, 'Content-Length: 500'], '{"jsonrpc"'),
    breaksOff: true,
    mayBeSilent: true,
  }),
  'headers that break off': () => ({
    parts: [Buffer.from('GET /api/v1/whoami HTTP/1.1\r\nHost: x\r\nX-')],
    breaksOff: true,
    mayBeSilent: true,
  }),
  'in pieces': (_chance, token) => {
    const [whole = Buffer.alloc(0)] = post('/experiments/validate', token, ['Content-Length: 2'], '{}').parts;
    return { parts: [whole.subarray(0, 9), whole.subarray(9, 40), whole.subarray(40)] };
  },
  'three at once': (_chance, token) => {
    const keep = Buffer.from(`GET /api/v1/whoami HTTP/1.1\r\nHost: x\r\n${writeBearer(token)}\r\n\r\n`);
    return { parts: [Buffer.concat([keep, keep, createRequest('GET /api/v1/info/health HTTP/1.1', [])])] };
  },
  'an upgrade': (chance) =>
    createOne('GET /api/v1/info/health HTTP/1.1', [
      'Upgrade: ' + chance.pick(['websocket', 'h2c']),
      'Connection: Upgrade',
    ]),
  'no HTTP at all': (chance) => ({
    parts: [
      chance.pick([
        Buffer.from('\u0016\u0003\u0001\u0002'),
        Buffer.from('hello\r\n\r\n'),
        Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
        Buffer.from('\r\n\r\n\r\n{}'),
        Buffer.from([0, 1, 2, 3, 255]),
      ]),
    ],
    breaksOff: true,
    mayBeSilent: true,
  }),
};

export function drawSocketShot(chance: Chance, token: string): SocketShot {
  const [name, make] = chance.pick(Object.entries(kinds));
  return { name, breaksOff: false, mayBeSilent: false, ...make(chance, token) };
}

export interface SocketOutcome {
  readonly bytes: Buffer;
  /** The service left the connection open and said nothing more. */
  readonly isStuck: boolean;
}

/** Writes the parts and collects what comes back until the connection ends. */
export async function sendOnSocket(port: number, { parts, breaksOff }: SocketShot): Promise<SocketOutcome> {
  const socket = connect({ port, host: '127.0.0.1' });
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => void received.push(chunk));
  // A refusal while this side still writes may reset the connection; what was said has arrived.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  socket.setNoDelay(true);
  await Promise.race([once(socket, 'connect').catch(() => undefined), closed]);
  for (const part of parts)
    await new Promise<void>((resolve) => (socket.writable ? socket.write(part, () => resolve()) : resolve()));
  if (breaksOff) socket.end();
  let isStuck = false;
  const timer = setTimeout(() => {
    isStuck = true;
    socket.destroy();
  }, WAIT_MS);
  await closed;
  clearTimeout(timer);
  return { bytes: Buffer.concat(received), isStuck };
}
