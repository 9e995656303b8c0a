import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { after, test, type TestContext } from 'node:test';
import { connect as openSocket } from 'node:net';
import { createOutgoing } from './outgoing.ts';
import type { Connect } from './network.ts';

const PUBLIC_ADDRESS = '93.184.215.14';
const LOCAL = { allowsLoopback: true, ports: [443] };
/** Longer than any answer here takes on a busy machine. */
const TIMEOUT_MS = 120_000;

/** Answers each connection as `behave` says; returns its port. */
async function listen(behave: (socket: Socket, sent: string) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    let sent = '';
    let isAnswered = false;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      sent += chunk.toString('latin1');
      if (isAnswered || !sent.includes('\r\n\r\n')) return;
      isAnswered = true;
      behave(socket, sent);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const connected: string[] = [];
const connectAndNote: Connect = (address, port) => {
  connected.push(address);
  return openSocket({ host: address, port });
};

const createLocal = (connect: Connect) =>
  createOutgoing({
    policy: LOCAL,
    resolve: () => Promise.resolve(['127.0.0.1']),
    connect,
    timeoutMs: TIMEOUT_MS,
  });
const local = createLocal(connectAndNote);

/** The time limit of a request passes when the test says so. */
function holdTimeLimit(t: TestContext): AbortController {
  const limit = new AbortController();
  t.mock.method(AbortSignal, 'timeout', () => limit.signal);
  return limit;
}

const post = (port: number, path = '/hook') =>
  local.post({ url: `http://127.0.0.1:${port}${path}`, headers: { 'x-own': '1' }, body: '{"a":1}' });

const answer =
  (status: string, body = '', headers = '') =>
  (socket: Socket) =>
    void socket.end(`HTTP/1.1 ${status}\r\n${headers}content-length: ${body.length}\r\n\r\n${body}`);

test('post: the receiver answers → its status, Retry-After and the begin of its body', async () => {
  const port = await listen(answer('429 Too Many', 'slow\u0007 down', 'retry-after: 7\r\n'));
  assert.deepEqual(await post(port), {
    kind: 'answered',
    status: 429,
    retryAfter: '7',
    excerpt: 'slow down',
  });
});

test('post: what is sent → one POST with the body, its length, and no proxy or cookie', async () => {
  let request = '';
  const port = await listen((socket, sent) => {
    request = sent;
    answer('204 No Content')(socket);
  });
  await post(port, '/hook?a=1');
  assert.match(request, /^POST \/hook\?a=1 HTTP\/1\.1\r\n/);
  assert.match(request, new RegExp(`host: 127\\.0\\.0\\.1:${port}\r\n`, 'i'));
  assert.match(request, /content-length: 7\r\n/i);
  assert.match(request, /\r\n\r\n\{"a":1\}$/);
});

test('post: a redirect → its status, and nobody follows it', async () => {
  let count = 0;
  const port = await listen((socket) => {
    count += 1;
    answer('302 Found', '', 'location: http://127.0.0.1:1/\r\n')(socket);
  });
  const outcome = await post(port);
  assert.deepEqual(
    [outcome.kind, outcome.kind === 'answered' && outcome.status, count],
    ['answered', 302, 1],
  );
});

const failures: readonly [string, (socket: Socket) => void, RegExp][] = [
  [
    'a reset in the header',
    (socket) => void (socket.write('HTTP/1.1 20'), socket.resetAndDestroy()),
    /closed/,
  ],
  ['a closed connection', (socket) => void socket.end(), /closed the connection/],
  ['no HTTP', (socket) => void socket.end('SSH-2.0-x\r\n\r\n'), /not valid HTTP/],
  [
    'endless headers',
    (socket) => sendEndlessly(socket, 'HTTP/1.1 200 OK\r\n', 'x-a: 0123456789\r\n'),
    /too large/,
  ],
  ['100 kB of headers', answer('204 No Content', '', `x-a: ${'a'.repeat(100_000)}\r\n`), /too large/],
  [
    'endless interim answers',
    (socket) => sendEndlessly(socket, '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
    /too large/,
  ],
  ['endless blank lines', (socket) => sendEndlessly(socket, '', '\r\n\r\n'), /too large/],
  ['another protocol', answerUpgrade, /request failed|closed/],
];

function answerUpgrade(socket: Socket): void {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
}

function sendEndlessly(socket: Socket, begin: string, piece: string): void {
  socket.write(begin);
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece.repeat(100)));
  };
  socket.on('drain', more);
  more();
}

for (const [what, behave, reason] of failures) {
  test(`post: ${what} → failed with a sentence, before the time limit passes`, async (t) => {
    holdTimeLimit(t);
    const outcome = await post(await listen(behave));
    assert.equal(outcome.kind, 'failed');
    assert.match(outcome.kind === 'failed' ? outcome.reason : '', reason);
  });
}

test('post: the receiver is silent until the time limit passes → failed with a sentence', async (t) => {
  const limit = holdTimeLimit(t);
  const outcome = await post(await listen(() => limit.abort()));
  assert.deepEqual(outcome, { kind: 'failed', reason: 'The receiver did not answer within 120 s.' });
});

test('post: an endless body after 200, or one that is slow until the time limit passes → answered, and the rest is cut off', async (t) => {
  const limit = holdTimeLimit(t);
  const endless = await listen((socket) =>
    sendEndlessly(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n', 'x'.repeat(1_000)),
  );
  const chunked = await listen((socket) =>
    sendEndlessly(socket, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n'),
  );
  const slow = await listen((socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab'));
  const passLimitAfterData: Connect = (address, port) => {
    const socket = openSocket({ host: address, port });
    return socket.once('data', () => setImmediate(() => limit.abort()));
  };
  for (const [port, outgoing] of [
    [endless, local],
    [chunked, local],
    [slow, createLocal(passLimitAfterData)],
  ] as const) {
    const outcome = await outgoing.post({ url: `http://127.0.0.1:${port}/`, headers: {}, body: '' });
    assert.deepEqual([outcome.kind, outcome.kind === 'answered' && outcome.status], ['answered', 200]);
    assert.ok(outcome.kind === 'answered' && outcome.excerpt.length <= 500);
  }
});

test('post: interim answers and a long body at once → the status and the begin of the body', async () => {
  const interim = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(3);
  const port = await listen((socket) => {
    socket.write(interim);
    answer('200 OK', 'x'.repeat(60_000))(socket);
  });
  const outcome = await post(port);
  assert.deepEqual([outcome.kind, outcome.kind === 'answered' && outcome.status], ['answered', 200]);
});

test('post: nobody listens → failed, and the sentence says what to check', async () => {
  const port = await listen(() => {});
  const free = port === 65_535 ? port - 1 : port + 1;
  const outcome = await createOutgoing({
    policy: LOCAL,
    resolve: () => Promise.resolve([]),
    connect: (address) => openSocket({ host: address, port: 1 }),
    timeoutMs: TIMEOUT_MS,
  }).post({ url: `http://127.0.0.1:${free}/`, headers: {}, body: '' });
  assert.deepEqual(outcome, {
    kind: 'failed',
    reason: 'The receiver refused the connection. Check that a server listens at this port.',
  });
});

test('post: the first address refuses the connection → the next one that was checked', async () => {
  const port = await listen(answer('204 No Content'));
  const tried: string[] = [];
  const outgoing = createOutgoing({
    policy: { allowsLoopback: true, ports: [443] },
    resolve: () => Promise.resolve(['::1', '127.0.0.1']),
    connect: (address) => {
      tried.push(address);
      return openSocket({ host: '127.0.0.1', port: address === '::1' ? 1 : port });
    },
    timeoutMs: TIMEOUT_MS,
  });
  const outcome = await outgoing.post({ url: `http://localhost:${port}/`, headers: {}, body: '' });
  assert.equal(outcome.kind, 'answered');
  assert.deepEqual(tried, ['::1', '127.0.0.1']);
});

test('post: a name with a public and a private address, or only private ones → refused, and nothing is connected', async () => {
  for (const addresses of [
    [PUBLIC_ADDRESS, '10.0.0.1'],
    [PUBLIC_ADDRESS, '::1'],
    ['127.0.0.1'],
    ['169.254.169.254'],
    ['::ffff:10.0.0.1'],
    ['64:ff9b::7f00:1'],
  ]) {
    for (const allowsLoopback of [true, false]) {
      connected.length = 0;
      const outgoing = createOutgoing({
        policy: { allowsLoopback, ports: [443] },
        resolve: () => Promise.resolve(addresses),
        connect: connectAndNote,
        timeoutMs: TIMEOUT_MS,
      });
      const outcome = await outgoing.post({ url: 'https://hooks.example.org/', headers: {}, body: '' });
      assert.equal(outcome.kind, 'refused', addresses.join());
      assert.deepEqual(connected, []);
    }
  }
});

test('post: the name resolves to another address after the check → the connection goes to the checked one', async () => {
  let lookups = 0;
  const tried: string[] = [];
  const outgoing = createOutgoing({
    policy: { allowsLoopback: false, ports: [443] },
    resolve: () => Promise.resolve(lookups++ === 0 ? [PUBLIC_ADDRESS] : ['127.0.0.1']),
    connect: (address) => {
      tried.push(address);
      return openSocket({ host: '127.0.0.1', port: 1 });
    },
    timeoutMs: TIMEOUT_MS,
  });
  await outgoing.post({ url: 'https://hooks.example.org/', headers: {}, body: '' });
  assert.deepEqual([tried, lookups], [[PUBLIC_ADDRESS], 1]);
});

test('inspect: a name that does not resolve → a warning; an address that is never allowed → a problem', async () => {
  const outgoing = createOutgoing({
    policy: { allowsLoopback: false, ports: [443] },
    resolve: (name) =>
      name === 'gone.example' ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve([PUBLIC_ADDRESS]),
    connect: connectAndNote,
    timeoutMs: TIMEOUT_MS,
  });
  assert.deepEqual(await outgoing.inspect('https://hooks.example.org/'), { problem: null, warning: null });
  assert.match(
    (await outgoing.inspect('https://gone.example/')).warning ?? '',
    /gone\.example does not resolve/,
  );
  assert.match((await outgoing.inspect('http://hooks.example.org/')).problem ?? '', /must start with https/);
});
