/**
 * Receivers with every fault, on a virtual clock: each delivery arrives at least once or has failed after the whole
 * schedule, and a healthy receiver beside them waits for none.
 */
import assert from 'node:assert/strict';
import { connect as openSocket, createServer as createPlain, type Server, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { createServer as createTls } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { DAY_MS, systemClock } from '#core/clock.ts';
import { RETRY_DELAYS_MS } from '#features/webhooks/rules.ts';
import { expectStatus } from '#testing/builders.ts';
import { createTestAuthority, type Certified } from '#testing/certificates.ts';
import { startReceiver } from '#testing/receiver.ts';
import { getItems, getText, testService } from '#testing/service.ts';

/** Longer than any answer here takes on a busy machine. */
const TIMEOUT_MS = 600_000;
/** Less than the slow receivers are waited for. */
const HEALTHY_WITHIN_MS = TIMEOUT_MS / 4;
const ADDRESS = '93.184.215.14';
const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;
const OK = 'HTTP/1.1 204 No Content\r\n\r\n';
const BOMB = gzipSync(Buffer.alloc(16 * 1024 * 1024), { level: 1 });
const authority = createTestAuthority(systemClock.now().getTime());

/** Answers the n-th connection, once it has sent its headers. */
type Behavior = (socket: Socket, count: number) => void;

/** Which port of this machine stands behind a name. */
const portsByName = new Map<string, number>();
const calls = new Map<string, number>();

async function listen(name: string, behave: Behavior, certified?: Certified): Promise<void> {
  const sockets = new Set<Socket>();
  const take = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      const count = (calls.get(name) ?? 0) + 1;
      calls.set(name, count);
      behave(socket, count);
    });
  };
  const server: Server =
    certified === undefined
      ? createPlain(take)
      : createTls({ cert: certified.certificate, key: certified.key }, take);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the receiver has no port');
  portsByName.set(name, bound.port);
}

let called = '';
const world = await testService(
  { WEBHOOK_LOOPBACK: 'no' },
  {
    receivers: {
      timeoutMs: TIMEOUT_MS,
      authorities: [authority.certificate],
      resolve: (name) => {
        called = name;
        return Promise.resolve(portsByName.has(name) ? [ADDRESS] : []);
      },
      // The virtual Internet: the name that was asked for last is the one that is connected to.
      connect: () => openSocket({ host: '127.0.0.1', port: portsByName.get(called) ?? 1 }),
    },
  },
);
const { ask, clock, service } = world;

const answer =
  (text: string): Behavior =>
  (socket) =>
    void socket.end(text);

/** Sends a test to a receiver and lets the whole schedule pass; returns its delivery at the end. */
async function runSchedule(name: string) {
  const { id } = expectStatus(
    await ask('POST', '/webhooks', { body: { url: `https://${name}/hook` } }),
    201,
  ).body;
  const path = `/webhooks/${getText(id)}`;
  const sent = expectStatus(await ask('POST', `${path}/test`, { body: {} }), 201).body;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    await service.sender.runDue();
    clock.advance(Math.max(...RETRY_DELAYS_MS));
  }
  const detail = expectStatus(await ask('GET', `/webhooks/deliveries/${getText(sent.id)}`), 200).body;
  const endpoint = getItems((await ask('GET', '/webhooks')).body).find((each) => each.id === id);
  expectStatus(await ask('DELETE', path), 204);
  return { detail, endpoint };
}

interface Fault {
  readonly what: string;
  readonly behave?: Behavior;
  readonly certified?: (name: string) => Certified;
  readonly status: 'delivered' | 'failed';
  readonly attempts: number;
  readonly outcome: RegExp;
}

const FAULTS: readonly Fault[] = [
  {
    what: 'closes at once, three times, and answers then',
    behave: (socket, count) => void (count > 3 ? socket.end(OK) : socket.destroy()),
    status: 'delivered',
    attempts: 4,
    outcome: /answered 204/,
  },
  {
    what: 'answers 500 and 204 in turn',
    behave: (socket, count) =>
      void socket.end(count % 2 === 1 ? 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n' : OK),
    status: 'delivered',
    attempts: 2,
    outcome: /answered 204/,
  },
  {
    what: 'resets in the middle of the headers',
    behave: (socket) => void (socket.write('HTTP/1.1 20'), socket.destroy()),
    status: 'failed',
    attempts: ATTEMPTS_MAX,
    outcome: /closed the connection/,
  },
  {
    what: 'redirects',
    behave: answer(
      'HTTP/1.1 302 Found\r\nlocation: https://elsewhere.example.org/\r\ncontent-length: 0\r\n\r\n',
    ),
    status: 'failed',
    attempts: 1,
    outcome: /redirects are not followed/,
  },
  {
    what: 'is gone for good',
    behave: answer('HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n'),
    status: 'failed',
    attempts: 1,
    outcome: /answered 410/,
  },
  {
    what: 'sends a bomb that would unfold to 16 MiB',
    behave: (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`);
      socket.end(BOMB);
    },
    status: 'delivered',
    attempts: 1,
    outcome: /answered 200/,
  },
  {
    what: 'has a certificate that expired',
    certified: (name) => authority.certify(name, { isExpired: true }),
    status: 'failed',
    attempts: ATTEMPTS_MAX,
    outcome: /certificate of the receiver has expired/,
  },
  {
    what: 'has a certificate for another name',
    certified: () => authority.certify('other.example.org'),
    status: 'failed',
    attempts: ATTEMPTS_MAX,
    outcome: /certificate of the receiver is for another name/,
  },
  {
    what: 'has a certificate of an authority that nobody trusts',
    certified: (name) => createTestAuthority(systemClock.now().getTime(), 'Nobody').certify(name),
    status: 'failed',
    attempts: ATTEMPTS_MAX,
    outcome: /certificate|whole chain/,
  },
];

for (const [index, fault] of FAULTS.entries()) {
  test(`delivery: a receiver ${fault.what} → ${fault.status} after attempts: ${fault.attempts}`, async () => {
    const name = `fault-${index}.example.org`;
    await listen(name, fault.behave ?? answer(OK), (fault.certified ?? authority.certify)(name));
    const { detail, endpoint } = await runSchedule(name);
    assert.deepEqual(
      [detail.status, detail.attempts],
      [fault.status, fault.attempts],
      getText(detail.last_outcome),
    );
    assert.match(getText(detail.last_outcome), fault.outcome);
    if (fault.certified !== undefined) assert.equal(calls.get(name), undefined, 'nothing was sent to it');
    if (fault.what === 'is gone for good') assert.equal(endpoint?.enabled, false);
  });
}

test('delivery: a receiver has no TLS, and a name that does not resolve → failed after the whole schedule', async () => {
  await listen('plain.example.org', answer(OK));
  for (const name of ['plain.example.org', 'nowhere.example.org']) {
    const { detail } = await runSchedule(name);
    assert.deepEqual([detail.status, detail.attempts], ['failed', ATTEMPTS_MAX]);
  }
});

test('delivery: the environment of the process switches the check of certificates off → it stays on', async () => {
  const name = 'unchecked.example.org';
  const nobody = createTestAuthority(systemClock.now().getTime(), 'Nobody');
  await listen(name, answer(OK), nobody.certify(name));
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  try {
    const { detail } = await runSchedule(name);
    assert.deepEqual([detail.status, calls.has(name)], ['failed', false]);
  } finally {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  }
});

test('delivery: 429 with Retry-After of weeks → a day later, and delivered then', async () => {
  const name = 'patient.example.org';
  await listen(
    name,
    (socket, count) =>
      void socket.end(
        count === 1 ? 'HTTP/1.1 429 Slow\r\nretry-after: 3000000\r\ncontent-length: 0\r\n\r\n' : OK,
      ),
    authority.certify(name),
  );
  const body = { url: `https://${name}/` };
  const { id } = expectStatus(await ask('POST', '/webhooks', { body }), 201).body;
  expectStatus(await ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
  assert.equal(await service.sender.runDue(), 1);
  clock.advance(DAY_MS - 1);
  assert.equal(await service.sender.runDue(), 0);
  clock.advance(1);
  assert.equal(await service.sender.runDue(), 1);
  const { items } = expectStatus(await ask('GET', `/webhooks/${getText(id)}/deliveries`), 200).body;
  assert.equal(getText(getItems(items)[0]?.status), 'delivered');
});

test('delivery: receivers that are silent, slow, late or without end → a healthy one beside them waits for none of them', async () => {
  const receivers = { resolve: () => Promise.resolve([]), timeoutMs: TIMEOUT_MS };
  const open = await testService({}, { receivers });
  const drip: Behavior = (socket) => {
    const timer = setInterval(() => socket.write('H'), 1_000);
    socket.once('close', () => clearInterval(timer));
  };
  const slow: Record<string, Behavior> = {
    silent: () => {},
    drip,
    late: (socket) => {
      const timer = setTimeout(() => socket.end(OK), 2 * HEALTHY_WITHIN_MS);
      socket.once('close', () => clearTimeout(timer));
    },
    endless: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write('x'.repeat(1_000)));
      };
      socket.on('drain', more);
      more();
    },
  };
  for (const [name, behave] of Object.entries(slow)) {
    await listen(name, behave);
    const body = { url: `http://127.0.0.1:${portsByName.get(name)}/` };
    const { id } = expectStatus(await open.ask('POST', '/webhooks', { body }), 201).body;
    for (let count = 0; count < 8; count += 1)
      expectStatus(await open.ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
  }
  const healthy = await startReceiver();
  const { id } = expectStatus(await open.ask('POST', '/webhooks', { body: { url: healthy.url } }), 201).body;
  open.service.sender.start();
  while (!Object.keys(slow).every((name) => (calls.get(name) ?? 0) > 0)) await pause(5);
  const begunMs = performance.now();
  expectStatus(await open.ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
  while (healthy.received.length === 0 && performance.now() - begunMs < HEALTHY_WITHIN_MS) await pause(5);
  const waitedMs = performance.now() - begunMs;
  assert.ok(waitedMs < HEALTHY_WITHIN_MS, `it waited ${Math.round(waitedMs)} ms`);
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
