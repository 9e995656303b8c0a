/**
 * Nobody makes this service call what is inside its network. Every forbidden address is given by each way in which an
 * address comes (created, changed, of an experiment, tested, redelivered), as a literal, behind a name, behind a name
 * that changes after the check, and as a redirect. Whatever would get through reaches a canary of this machine.
 */
import assert from 'node:assert/strict';
import { connect as openSocket, createServer, Socket } from 'node:net';
import { after, afterEach, test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, listProblemPaths } from '#testing/builders.ts';
import {
  PRIVATE_ANSWERS,
  PRIVATE_IPV4,
  PRIVATE_IPV6,
  PRIVATE_NAMES,
  MISLEADING_URLS,
} from '#testing/forbidden-receivers.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const PUBLIC = '93.184.215.14';
const NAME = 'hooks.example.org';
const URL_OF_NAME = `https://${NAME}/hook`;

/** Counts connections to a loopback address; 0 as port where the machine does not have it. */
async function startCanary(address: string): Promise<{ readonly port: number; readonly calls: string[] }> {
  const calls: string[] = [];
  const server = createServer((socket) => {
    calls.push(address);
    socket.destroy();
  });
  const isThere = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(0, address, () => resolve(true));
  });
  after(() => void server.close());
  const bound = server.address();
  return { port: isThere && bound !== null && typeof bound === 'object' ? bound.port : 0, calls };
}

const canaries = [await startCanary('127.0.0.1'), await startCanary('::1')];
const ports = [443, ...canaries.map(({ port }) => port)].filter((port) => port > 0);

/** What the name resolves to, one answer for each question; the last one stays. */
let answers: readonly (readonly string[])[] = [[PUBLIC]];
let requests = 0;
const connected: string[] = [];

const world = await testService(
  { WEBHOOK_LOOPBACK: 'no', WEBHOOK_PORTS: ports.join() },
  {
    receivers: {
      resolve: (name) => {
        if (name !== NAME) return Promise.resolve([]);
        requests += 1;
        return Promise.resolve(answers[Math.min(requests, answers.length) - 1] ?? []);
      },
      connect: (address, port) => {
        connected.push(address);
        // A connection that should not be made is really made, so that the canary hears it.
        if (address !== PUBLIC) return openSocket({ host: address, port });
        const socket = new Socket();
        process.nextTick(() => socket.destroy(new Error('the Internet is not here')));
        return socket;
      },
    },
  },
);
const { ask, clock, service } = world;
const { read } = service.database;
const build = await createBuilders(world);
const draft = await build.create();
const ID = getText(expectStatus(await ask('POST', '/webhooks', { body: { url: URL_OF_NAME } }), 201).body.id);

function resolveTo(...next: readonly (readonly string[])[]): void {
  answers = next;
  requests = 0;
}

afterEach(() => {
  assert.deepEqual(
    connected.filter((address) => address !== PUBLIC),
    [],
  );
  assert.deepEqual(
    canaries.flatMap(({ calls }) => calls),
    [],
  );
  connected.length = 0;
  resolveTo([PUBLIC]);
});

/** At the port of a canary where there is one, so that a connection would be heard. */
const placeAt = (host: string): string =>
  `https://${host}:${ports[host.startsWith('[') ? ports.length - 1 : 1]}/`;
const PLACES = [...PRIVATE_IPV4, ...PRIVATE_IPV6.map((address) => `[${address}]`), ...PRIVATE_NAMES].map(
  placeAt,
);
const LITERALS = [...PLACES, ...MISLEADING_URLS];

/** Sends a test, and once more what became of it; returns the outcomes. */
async function testAndRedeliver(arrange: () => void = () => {}): Promise<string[]> {
  arrange();
  const sent = expectStatus(await ask('POST', `/webhooks/${ID}/test`, { body: {} }), 201).body;
  await service.sender.runDue();
  const path = `/webhooks/deliveries/${getText(sent.id)}`;
  arrange();
  expectStatus(await ask('POST', `${path}/redeliver`, { body: {} }), 200);
  await service.sender.runDue();
  const made = await read.query<{ outcome: string }>(
    'select outcome from webhook_attempts where delivery_id = $1 order by number',
    [getText(sent.id)],
  );
  return made.map(({ outcome }) => outcome);
}

test('forgery: a literal address, created, changed or of an experiment → refused, and the field is named', async () => {
  const dotted = PRIVATE_IPV4.map((address) => placeAt(`${address}.`));
  for (const url of [...LITERALS, ...dotted]) {
    const refusals = [
      expectFailure(await ask('POST', '/webhooks', { body: { url } }), 400, 'invalid_webhook'),
      expectFailure(await ask('PATCH', `/webhooks/${ID}`, { body: { url } }), 400, 'invalid_webhook'),
    ];
    for (const refusal of refusals) assert.deepEqual(listProblemPaths(refusal), ['url'], url);
    const changed = await ask('PATCH', `/experiments/${draft.id}`, { body: { webhook_url: url } });
    assert.deepEqual([changed.status >= 400, listProblemPaths(changed)], [true, ['webhook_url']], url);
  }
  for (const url of MISLEADING_URLS) {
    const created = await ask('POST', '/experiments', {
      body: build.createBody({}, { webhook_url: url }),
    });
    assert.deepEqual([created.status >= 400, listProblemPaths(created)], [true, ['webhook_url']], url);
  }
});

test('forgery: a literal address that stands in the database, tested and redelivered → refused before a connection', async () => {
  for (const url of LITERALS) {
    await read.query('update webhooks set url = $2, is_enabled = true where id = $1', [ID, url]);
    const outcomes = await testAndRedeliver();
    assert.equal(outcomes.length, 2);
    for (const outcome of outcomes) assert.match(outcome, /^The address must /, url);
  }
  await read.query('update webhooks set url = $2 where id = $1', [ID, URL_OF_NAME]);
  assert.deepEqual(connected, []);
});

test('forgery: a name with a forbidden address, alone or beside a public one → refused wherever it comes', async () => {
  for (const address of PRIVATE_ANSWERS)
    for (const found of [[address], [PUBLIC, address]]) {
      resolveTo(found);
      const body = { url: `https://${NAME}:${ports.at(-1)}/` };
      expectFailure(await ask('POST', '/webhooks', { body }), 400, 'invalid_webhook');
      expectFailure(await ask('PATCH', `/webhooks/${ID}`, { body }), 400, 'invalid_webhook');
      if (found.length === 1) continue;
      for (const outcome of await testAndRedeliver())
        assert.match(outcome, /resolves to an address that is not public/, found.join());
    }
  assert.deepEqual(connected, []);
});

test('forgery: the name of an experiment with a forbidden address → its deliveries fail without a connection', async () => {
  resolveTo(['127.0.0.1', '::1']);
  const url = `https://${NAME}:${ports.at(-1)}/`;
  const { id } = await build.createQuoted(build.createBody({}, { webhook_url: url }));
  await service.sender.runDue();
  const { items } = expectStatus(
    await ask('GET', `/webhooks/deliveries?filter=and(eq(status,failed),eq(experiment_id,${id}))`),
    200,
  ).body;
  assert.equal(getItems(items).length, 2);
  for (const { last_outcome: outcome } of getItems(items)) assert.match(getText(outcome), /not public/);
  assert.deepEqual(connected, []);
});

test('forgery: the name changes to a forbidden address between check and connection → one question, and the checked address', async () => {
  for (const address of PRIVATE_ANSWERS) {
    const outcomes = await testAndRedeliver(() => resolveTo([PUBLIC], [address]));
    assert.deepEqual([outcomes.length, requests], [2, 1]);
  }
  assert.deepEqual(new Set(connected), new Set([PUBLIC]));
  assert.equal(connected.length, PRIVATE_ANSWERS.length * 2);
  clock.advance(1);
});

test('forgery: a receiver redirects to a forbidden address → its answer is the end, by whichever way it was called', async () => {
  const locations = LITERALS.filter((url) => !/[^\x21-\x7e]/.test(url));
  let at = 0;
  const server = createServer((socket) => {
    socket.once('data', () => {
      const location = locations[at++ % locations.length] ?? '';
      const status = [301, 302, 303, 307, 308][at % 5];
      socket.end(`HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  after(() => void server.close());
  const bound = server.address();
  assert.ok(bound !== null && typeof bound === 'object');
  const called: number[] = [];
  const open = await testService(
    { WEBHOOK_PORTS: ports.join() },
    {
      receivers: {
        resolve: () => Promise.resolve(['127.0.0.1']),
        connect: (address, port) => {
          called.push(port);
          return openSocket({ host: address, port });
        },
      },
    },
  );
  const url = `http://127.0.0.1:${bound.port}/`;
  const { id } = expectStatus(await open.ask('POST', '/webhooks', { body: { url } }), 201).body;
  for (let count = 0; count < locations.length; count += 1)
    expectStatus(await open.ask('POST', `/webhooks/${getText(id)}/test`, { body: {} }), 201);
  assert.equal(await open.service.sender.runDue(), locations.length);
  const again = { since: '2026-01-01T00:00:00Z' };
  expectStatus(await open.ask('POST', `/webhooks/${getText(id)}/redeliver`, { body: again }), 200);
  assert.equal(await open.service.sender.runDue(), locations.length);
  assert.equal(called.length, 2 * locations.length);
  assert.deepEqual(new Set(called), new Set([bound.port]));
});
