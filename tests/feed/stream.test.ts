/** The live stream over a real socket: what happens, resumption, credentials, filters, a client that does not read. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { openSignedIn, type Browser } from '#testing/browser.ts';
import { readEvents, type StreamedEvent } from '#testing/event-stream.ts';
import { getItems, getText, testService, type Json } from '#testing/service.ts';
import { insertTestRun } from '#testing/stored-runs.ts';

const LIMIT_MS = 600_000;
/** Ten times what the service promises; `live-feed.test.ts` holds it to the promise by a virtual clock. */
const REVOKED_WITHIN_MS = 50_000;

const world = await testService();
const { ask, clock, service, token, issueToken } = world;
const { create, createInvoiced, createQuoted } = await createBuilders(world);
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });

interface Open {
  /** Reads on until the event is there. */
  readonly until: (isIt: (item: Json) => boolean) => Promise<StreamedEvent[]>;
  /** Reads to the end. */
  readonly drain: () => Promise<StreamedEvent[]>;
  readonly close: () => void;
}

async function open(
  query = '',
  {
    as = token,
    headers = {},
    path = '/updates/stream',
    at = base,
  }: { as?: string; headers?: Readonly<Record<string, string>>; path?: string; at?: string } = {},
): Promise<Open> {
  const stop = new AbortController();
  const answer = await fetch(`${at}/api/v1${path}${query}`, {
    headers: { authorization: `Bearer ${as}`, ...headers },
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(LIMIT_MS)]),
  });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
  const events = readEvents(answer);
  const read = async (isLast: (item: Json) => boolean): Promise<StreamedEvent[]> => {
    const seen: StreamedEvent[] = [];
    for (;;) {
      const next = await events.next();
      if (next.done === true) return seen;
      seen.push(next.value);
      if (isLast(JSON.parse(next.value.data))) return seen;
    }
  };
  after(() => stop.abort());
  return { until: read, drain: () => read(() => false), close: () => stop.abort() };
}

const isEvent =
  (event: string, code?: string) =>
  (item: Json): boolean =>
    getText(item.event_type) === event && (code === undefined || getText(item.experiment_code) === code);

test('stream_updates: things happen while a client listens → each arrives as the item of the feed, in order', async () => {
  const stream = await open();
  const { code } = await createQuoted();
  const seen = await stream.until((item) => item.status !== null && getText(item.status) === 'quote_sent');
  const { body } = expectStatus(await ask('GET', `/experiments/${code}/updates`), 200);
  assert.deepEqual(
    seen.map(({ data }): unknown => JSON.parse(data)),
    body.items,
  );
  stream.close();
});

test('Last-Event-ID: a client comes back after a break → it gets what it missed, once', async () => {
  const first = await open();
  const { code } = await create();
  const [last] = await first.until(isEvent('experiment.created', code));
  first.close();
  const { code: missed } = await create();
  const second = await open('', { headers: { 'last-event-id': last?.id ?? '' } });
  const [back, ...more] = await second.until(isEvent('experiment.created', missed));
  assert.deepEqual(more, []);
  assert.equal(JSON.parse(back?.data ?? '{}').experiment_code, missed);
  second.close();
});

test('filter: a stream of one type and one of one experiment → nothing else comes', async () => {
  const [{ id, code }, { id: other }] = [await create(), await create()];
  const quotes = await open(`?filter=${encodeURIComponent('eq(type,quote)')}`);
  const mine = await open(`?experiment_id=${code}`);
  for (const each of [other, id]) expectStatus(await ask('POST', `/experiments/${each}/submit`), 200);
  const quoted = await quotes.until(isEvent('quote.opened', code));
  assert.deepEqual(
    quoted.map(({ data }) => JSON.parse(data).event_type),
    ['quote.opened', 'quote.opened'],
  );
  const moves = await mine.until((item) => item.status !== null && getText(item.status) === 'quote_sent');
  assert.deepEqual(new Set(moves.map(({ data }) => JSON.parse(data).experiment_code)), new Set([code]));
  quotes.close();
  mine.close();
});

test('token_revoked: the token of an open stream is revoked → the stream ends within five seconds, others stay', async () => {
  const other = await open();
  const short = await issueToken();
  const stream = await open('', { as: short });
  expectStatus(await ask('POST', '/tokens/revoke', { token: short, body: {} }), 200);
  const begun = performance.now();
  await stream.drain();
  assert.ok(performance.now() - begun < REVOKED_WITHIN_MS);
  const { code } = await create();
  assert.ok((await other.until(isEvent('experiment.created', code))).length > 0);
  other.close();
});

test('stream_updates: another process revokes a token, removes a member and dismisses one of the staff → their streams end within five seconds, another one goes on', async () => {
  const another = await world.openAnother();
  try {
    const at = await another.app.listen({ host: '127.0.0.1', port: 0 });
    const [revoked, removed, dismissed] = await Promise.all([
      issueToken(),
      issueToken({ role: 'member' }),
      issueToken({ isStaff: true }),
    ]);
    const readUserId = async (as: string): Promise<string> =>
      getText((await ask('GET', '/whoami', { token: as })).body.user_id);
    const streams = await Promise.all([
      open('', { at, as: revoked }),
      open('', { at, as: removed }),
      open('', { at, as: dismissed, path: '/lab/updates/stream' }),
    ]);
    const staying = await open('', { at, as: dismissed });
    const begun = performance.now();
    expectStatus(await ask('POST', '/tokens/revoke', { token: revoked, body: {} }), 200);
    expectStatus(await ask('DELETE', `/organization/members/${await readUserId(removed)}`), 200);
    expectStatus(await ask('DELETE', `/lab/staff/${await readUserId(dismissed)}`), 200);
    await Promise.all(streams.map((stream) => stream.drain()));
    assert.ok(performance.now() - begun < REVOKED_WITHIN_MS);
    const { code } = await create();
    assert.ok((await staying.until(isEvent('experiment.created', code))).length > 0);
    staying.close();
  } finally {
    await another.close();
  }
});

test('permission_denied: one of the staff is an administrator no more → the stream of every organization ends, the own one goes on', async () => {
  const { userId, organizationId } = service.founder;
  const setRole = (role: string) =>
    service.database.read.query(
      `update memberships set role = $3 where user_id = $1 and organization_id = $2`,
      [userId, organizationId, role],
    );
  const [all, own] = await Promise.all([open('', { path: '/lab/updates/stream' }), open()]);
  await setRole('viewer');
  after(() => setRole('admin'));
  const begun = performance.now();
  await all.drain();
  assert.ok(performance.now() - begun < REVOKED_WITHIN_MS);
  await setRole('admin');
  const { code } = await create();
  assert.ok((await own.until(isEvent('experiment.created', code))).length > 0);
  own.close();
});

test('tenant: another organization writes → its updates come to nobody else', async () => {
  const stranger = await issueToken({ ownOrganization: true });
  const theirs = await open('', { as: stranger });
  const ours = await open();
  const { code } = await create();
  await ours.until(isEvent('experiment.created', code));
  const late = await open('?follow=false', {
    as: stranger,
    headers: { 'last-event-id': '00000000-0000-0000-0000-000000000000' },
  });
  assert.deepEqual(await late.drain(), []);
  theirs.close();
  ours.close();
});

test('lab_changed: staff write a note, which no update tells → the stream of the lab says so, that of the client does not', async () => {
  const [lab, own] = await Promise.all([open('', { path: '/lab/updates/stream' }), open()]);
  const { id } = await create();
  expectStatus(await ask('POST', `/lab/experiments/${id}/notes`, { body: { note: 'Call them.' } }), 201);
  const seen = await lab.until((item) => JSON.stringify(item.operation) === '"add_lab_note"');
  assert.equal(seen.at(-1)?.id, '', 'a client that comes back goes on after the last update');
  const { code } = await create();
  const events = await own.until(isEvent('experiment.created', code));
  assert.ok(events.every(({ data }) => JSON.parse(data).operation === undefined));
  lab.close();
  own.close();
});

/** Opens a page and the stream that it names. */
async function followPage(browser: Browser, path: string): Promise<ReturnType<typeof readEvents>> {
  const page = await browser.open(path);
  const stream = /data-live="([^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const signal = AbortSignal.timeout(LIMIT_MS);
  return readEvents(await fetch(base + stream, { headers: { cookie: browser.cookie }, signal }));
}

/** Returns the operations that a stream tells, up to the last one. */
async function readOperations(events: ReturnType<typeof readEvents>, last: string): Promise<unknown[]> {
  const heard: unknown[] = [];
  while (heard.at(-1) !== last) {
    const { value } = await events.next();
    assert.ok(value !== undefined);
    const { operation }: Json = JSON.parse(value.data);
    if (operation !== undefined) heard.push(operation);
  }
  await events.return(undefined);
  return heard;
}

test('lab_changed: a page shows one order → it hears of the order and of its run, and not of another order', async () => {
  const [shown, other] = [await createInvoiced(), await create()];
  const browser = await openSignedIn(world);
  const events = await followPage(browser, `/lab/experiments/${shown.code}`);
  const note = { body: { note: 'Call them.' } };
  expectStatus(await ask('POST', `/lab/experiments/${other.id}/notes`, note), 201);
  const runId = await insertTestRun(ask, [shown.code]);
  expectStatus(await ask('POST', `/lab/runs/${runId}/cancel`, { body: { reason: 'Not now.' } }), 200);
  expectStatus(await ask('POST', `/lab/experiments/${shown.code}/notes`, note), 201);
  const heard = await readOperations(events, 'add_lab_note');
  assert.deepEqual(heard, ['create_lab_run', 'cancel_lab_run', 'add_lab_note']);
});

test('lab_changed: a page lists orders → it hears of a run and of a client who asks for a target, not of notes and files', async () => {
  const listed = await createInvoiced();
  const browser = await openSignedIn(world);
  // A page that has just been opened is told what happened a moment before as well.
  clock.advance(60_000);
  const events = await followPage(browser, '/lab');
  const note = { body: { note: 'Call them.' } };
  expectStatus(await ask('POST', `/lab/experiments/${listed.id}/notes`, note), 201);
  // Changes of one millisecond are told in any order.
  clock.advance(1);
  const runId = await insertTestRun(ask, [listed.code]);
  clock.advance(1);
  const body = { name: 'A target of ours', product_id: 'T-1', pdb_id: '1IVO' };
  expectStatus(await ask('POST', '/targets/request-custom', { body }), 201);
  clock.advance(1);
  expectStatus(await ask('POST', `/lab/runs/${runId}/cancel`, { body: { reason: 'Not now.' } }), 200);
  assert.deepEqual(await readOperations(events, 'cancel_lab_run'), [
    'create_lab_run',
    'create_custom_target_request',
    'cancel_lab_run',
  ]);
});

test('back-pressure: a client reads nothing of a long feed → the service holds one page for it and serves others', async () => {
  const { organizationId } = service.founder;
  const { id, code } = await create();
  await service.database.read.query(
    `insert into updates (id, organization_id, experiment_id, experiment_code, type, name, description, created_at)
     select uuidv7(), $1, $2, $3, 'progress', 'long', repeat('x', 2000), now() from generate_series(1, 3000)`,
    [organizationId, id, code],
  );
  const address = service.app.server.address();
  assert.ok(address !== null && typeof address === 'object');
  const socket = connect(address.port, '127.0.0.1');
  after(() => socket.destroy());
  const lines = [
    'GET /api/v1/updates/stream HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${token}`,
    'last-event-id: 00000000-0000-0000-0000-000000000000',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  const whole = await open('?follow=false', {
    headers: { 'last-event-id': '00000000-0000-0000-0000-000000000000' },
  });
  const all = await whole.drain();
  assert.ok(all.length > 3_000);
  assert.equal(new Set(all.map(({ id: each }) => each)).size, all.length);
  socket.pause();
  assert.ok(socket.bytesRead < 6_000_000, 'the service waits for the client');
  assert.equal(socket.readyState, 'open');
  socket.destroy();
});

/** The ids that a client is told before and between updates. */
async function readTold(
  as: string,
  query = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const answer = await fetch(`${base}/api/v1/updates/stream?follow=false${query}`, {
    headers: { authorization: `Bearer ${as}`, ...headers },
  });
  assert.equal(answer.status, 200);
  return [...(await answer.text()).matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id);
}

test('id: others write → a stream begins and goes on with ids of its own organization alone', async () => {
  const stranger = await issueToken({ ownOrganization: true });
  const before = await readTold(stranger);
  await createQuoted();
  assert.deepEqual(await readTold(stranger), before);
  const { body } = expectStatus(await ask('GET', '/updates?limit=1'), 200);
  assert.deepEqual(await readTold(token), [getText(getItems(body.items)[0]?.id)]);
  assert.deepEqual(
    await readTold(stranger, '', { 'last-event-id': getText(getItems(body.items)[0]?.id) }),
    before,
  );
});

test('Last-Event-ID: one of the future → the stream goes on from the present; one in capitals → as in small letters', async () => {
  const future = { 'last-event-id': 'FFFFFFFF-ffff-7fff-bfff-ffffffffffff' };
  const stream = await open('', { headers: future });
  const { code } = await create();
  const [first] = await stream.until(isEvent('experiment.created', code));
  assert.ok(first !== undefined && first.id < future['last-event-id'].toLowerCase());
  stream.close();
  const [begins, ...missed] = await readTold(token, '', { 'last-event-id': first.id.toUpperCase() });
  assert.deepEqual([begins, missed], [first.id, []]);
});

test('invalid_query: line breaks in filters, two filters, two cursors, parameters of pages → refused, and no line of the stream but ours', async () => {
  const headers = { authorization: `Bearer ${token}` };
  const ask = async (query: string, more: Readonly<Record<string, string>> = {}) => {
    const answer = await fetch(`${base}/api/v1/updates/stream?follow=false&${query}`, {
      headers: { ...headers, ...more },
    });
    return { status: answer.status, text: await answer.text(), sent: answer.headers };
  };
  const both = `filter=${encodeURIComponent('eq(type,quote)')}&filter=${encodeURIComponent('eq(type,results)')}`;
  for (const query of [both, 'cursor=a&cursor=b', 'cursor=x', `search=a%0d%0ax-evil:1&filter=eq(%0a`])
    assert.equal((await ask(query)).status, 400, query);
  for (const query of ['sort=-name', 'limit=5', 'offset=2']) {
    const { status, text } = await ask(query);
    assert.equal(status, 400, query);
    // The problem has the parameter as its path, and its message does not repeat it.
    assert.match(text, /"message":"is not a parameter of a stream/);
  }
  const strange = await ask('', { 'last-event-id': 'x' });
  assert.equal(strange.status, 400);
  assert.match(strange.text, /"path":"Last-Event-ID","message":"is not the id of an update/);
  const broken = await ask(`search=${encodeURIComponent('\r\nid: x\r\ndata: y')}`);
  assert.doesNotMatch(broken.text, /^data: y|^id: x/m);
  const buffered = await ask('');
  assert.equal(buffered.sent.get('x-accel-buffering'), 'no');
  assert.match(buffered.sent.get('cache-control') ?? '', /no-store/);
});

test('disconnect: hundreds come and go → none is counted any more, and the loop rests', async () => {
  const openOnce = async (): Promise<void> => {
    const stop = new AbortController();
    const answer = await fetch(`${base}/api/v1/updates/stream`, {
      headers: { authorization: `Bearer ${token}` },
      signal: stop.signal,
    });
    await answer.body?.getReader().read();
    stop.abort();
  };
  for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 20 }, openOnce));
  const { server } = service.app;
  const count = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, open) => resolve(open)));
  const until = performance.now() + LIMIT_MS;
  while ((await count()) > 5 && performance.now() < until)
    await new Promise((resolve) => setImmediate(resolve));
  assert.ok((await count()) <= 5);
});

test('session: a person signs out → the streams of the pages end within five seconds; a stranger gets none', async () => {
  const browser = await openSignedIn(world);
  const answers = await Promise.all(
    ['/live', '/lab/live'].map((path) => fetch(base + path, { headers: { cookie: browser.cookie } })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  const begun = performance.now();
  const page = await browser.open('/');
  assert.equal((await browser.send(page, '/sign-out')).status, 303);
  await Promise.all(answers.map((answer) => answer.text()));
  assert.ok(performance.now() - begun < REVOKED_WITHIN_MS);
  const stranger = await fetch(`${base}/live`);
  assert.equal(stranger.status, 401);
});
