/**
 * Two processes over one database write to the feed of one organization while readers of each style follow it, and one
 * process is killed again and again. In the end every reader has met every update, the feed has no gap, and a webhook has
 * received every one that it asked for, the repeated ones with the same id and the same body.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createRandomSource } from '#sandbox/models/random.ts';
import { eventTypes } from '#features/updates/types.ts';
import { createSequences, expectStatus } from '#testing/builders.ts';
import { readEvents } from '#testing/event-stream.ts';
import { processBench } from '#testing/process-bench.ts';
import { createAsker, UNCOMPRESSED, type ServiceProcess } from '#testing/process.ts';
import { startReceiver, type Received } from '#testing/receiver.ts';
import { listSeeds } from '#testing/seeds.ts';
import { getItems, getText, parseJson, type Json, type TestAnswer } from '#testing/service.ts';

const EVENTS = Number(process.env.ASSAYER_FEED_EVENTS ?? '500');
const KILLS = Number(process.env.ASSAYER_FEED_KILLS ?? '3');
const WRITERS = 16;
const POLL_PAUSE_MS = 800;
/** A job makes the quote; a writer that asked at once would mostly ask in vain. */
const QUOTE_PAUSE_MS = 100;
const QUOTE_PAUSE_MS_MAX = 1_600;
/** What the webhook receives: `all`, or otherwise one event of each round of a writer. */
const DELIVERED = process.env.ASSAYER_FEED_DELIVERED === 'all' ? eventTypes : (['quote.opened'] as const);
const CATCH_UP_MS_MAX = 60_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const bench = await processBench({});
const steady = await bench.startAnother();
/** The process that is killed; while it starts again, whoever asks it waits. */
let mortal = bench.startAnother();
after(async () => {
  await steady.kill();
  await (await mortal).kill();
  await bench.close();
});

/** Asks either process; when one is gone, the other. Undefined when neither answered. */
async function askEither(
  random: () => number,
  method: string,
  path: string,
  body?: unknown,
): Promise<TestAnswer | undefined> {
  const chosen: ServiceProcess = random() < 0.5 ? steady : await mortal;
  const answer = await createAsker(chosen)(method, path, body === undefined ? {} : { body }).catch(
    () => undefined,
  );
  return answer !== undefined && answer.status < 500 ? answer : undefined;
}

async function countUpdates(): Promise<number> {
  const [row] = await bench.database.read.query<{ count: number }>('select count(*) as count from updates');
  return row?.count ?? 0;
}

interface Reader {
  readonly style: string;
  /** Ids in the order in which they were met. */
  readonly met: string[];
  /** Reads on; true when nothing was new. */
  readonly read: () => Promise<boolean>;
}

const readIds = (answer: TestAnswer): string[] => getItems(answer.body.items).map((item) => getText(item.id));

function createCursorReader(random: () => number): Reader {
  const met: string[] = [];
  let cursor = '';
  return {
    style: 'cursor',
    met,
    async read() {
      const place = cursor === '' ? '' : `&cursor=${cursor}`;
      const answer = await askEither(random, 'GET', `/updates?sort=id&limit=100${place}`);
      if (answer === undefined) return false;
      assert.equal(answer.status, 200, answer.text);
      cursor = getText(answer.body.next);
      met.push(...readIds(answer));
      return getItems(answer.body.items).length === 0;
    },
  };
}

function createIdReader(random: () => number): Reader {
  const met: string[] = [];
  return {
    style: 'gt(id)',
    met,
    async read() {
      const filter = encodeURIComponent(`gt(id,${met.at(-1) ?? FIRST_ID})`);
      const answer = await askEither(random, 'GET', `/updates?sort=id&limit=100&filter=${filter}`);
      if (answer === undefined) return false;
      assert.equal(answer.status, 200, answer.text);
      met.push(...readIds(answer));
      return getItems(answer.body.items).length === 0;
    },
  };
}

/** Reads from the newest down to the last id that it knew. */
function createNewestReader(random: () => number): Reader {
  const met: string[] = [];
  const known = new Set<string>();
  return {
    style: 'newest first',
    met,
    async read() {
      const fresh: string[] = [];
      for (let offset = 0; ; offset += 100) {
        const answer = await askEither(random, 'GET', `/updates?limit=100&offset=${offset}`);
        if (answer === undefined) return false;
        const ids = readIds(answer);
        const end = ids.findIndex((id) => known.has(id));
        fresh.push(...(end < 0 ? ids : ids.slice(0, end)));
        if (end >= 0 || ids.length < 100) break;
      }
      for (const id of fresh.toReversed()) {
        // What was written meanwhile moves an update from one page to the next.
        if (!known.has(id)) met.push(id);
        known.add(id);
      }
      return fresh.length === 0;
    },
  };
}

/** Follows the stream of either process, and resumes where it was after the process is gone. */
async function follow(random: () => number, met: string[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { url, token } = random() < 0.5 ? steady : await mortal;
    try {
      const answer = await fetch(`${url}/api/v1/updates/stream`, {
        headers: {
          ...UNCOMPRESSED,
          authorization: `Bearer ${token}`,
          'last-event-id': met.at(-1) ?? FIRST_ID,
        },
        signal,
      });
      assert.equal(answer.status, 200);
      for await (const { id, data } of readEvents(answer)) {
        const item: Json = JSON.parse(data);
        assert.equal(item.id, id);
        met.push(id);
      }
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      await wait(POLL_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** Submits an experiment and rejects its quote, again and again: five updates for each round. */
async function keepWriting(random: () => number, targetId: string, signal: AbortSignal): Promise<void> {
  const spec = {
    experiment_type: 'screening',
    method: 'bli',
    target_id: targetId,
    sequences: createSequences(1),
  };
  const body = { name: 'written', experiment_spec: spec };
  let id: string | undefined;
  while (!signal.aborted) {
    if (id === undefined) {
      const made = await askEither(random, 'POST', '/experiments', body);
      id = made?.status === 201 ? getText(made.body.experiment_id) : undefined;
      continue;
    }
    await askEither(random, 'POST', `/experiments/${id}/submit`, {});
    const quote = await findQuote(random, id, signal);
    if (quote !== undefined) await askEither(random, 'POST', `/quotes/${quote}/reject`, { reason: 'other' });
  }
}

/** Looks for the quote of a submitted experiment, ever more rarely; undefined when there is none in time. */
async function findQuote(random: () => number, id: string, signal: AbortSignal): Promise<string | undefined> {
  for (let pauseMs = QUOTE_PAUSE_MS; pauseMs <= QUOTE_PAUSE_MS_MAX && !signal.aborted; pauseMs *= 2) {
    await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    const detail = await askEither(random, 'GET', `/experiments/${id}`);
    const quote: unknown = detail?.body.provider_quote_id;
    if (typeof quote === 'string') return quote;
  }
  return undefined;
}

/** Mails about quotes and orders are no subject here, and cost time. */
async function stopMails(): Promise<void> {
  const ask = createAsker(steady);
  const change = async (path: string, event: string) =>
    expectStatus(await ask('PATCH', path, { body: { mail: { [event]: 'none' } } }), 200);
  await change('/notifications', 'quote_ready');
  await change('/lab/notifications', 'new_order');
}

/** Lets time pass until nothing waits to be sent: what a killed process had in hand is free after its lease. */
async function deliverTheRest(): Promise<void> {
  const { sender } = await bench.startBystander();
  await bench.runToRest('after the kills', async () => {
    await sender.runDue();
    const [row] = await bench.database.read.query<{ count: number }>(
      `select count(*) as count from webhook_deliveries where status = 'waiting'`,
    );
    return row?.count === 0 ? undefined : `${row?.count} deliveries wait`;
  });
}

/** Each delivery by its id; throws where one was repeated with another body. */
function collectDelivered(received: readonly Received[]): ReadonlyMap<string, string> {
  const bodies = new Map<string, string>();
  for (const { headers, body } of received) {
    const id = String(headers['webhook-id']);
    assert.equal(bodies.get(id) ?? body, body);
    bodies.set(id, body);
  }
  return bodies;
}

for (const seed of listSeeds(1)) {
  test(`feed: writers, readers and kills of seed ${seed} → nobody misses an update, no cursor repeats one, each is delivered`, async () => {
    const source = createRandomSource('kills beside the feed', seed);
    const random = (): number => source.drawUniform();
    const targets = await createAsker(steady)('GET', '/targets?selfservice_only=true&limit=1');
    const targetId = getText(getItems(targets.body.items)[0]?.id);
    await stopMails();
    const receiver = await startReceiver();
    const endpoint = { url: receiver.url, event_types: DELIVERED };
    expectStatus(await createAsker(steady)('POST', '/webhooks', { body: endpoint }), 201);
    await mortal;
    const writing = new AbortController();
    const reading = new AbortController();
    const writers = Array.from({ length: WRITERS }, () => keepWriting(random, targetId, writing.signal));
    const readers = [createCursorReader(random), createIdReader(random), createNewestReader(random)];
    const streamed: string[] = [];
    const following = follow(random, streamed, reading.signal);
    const polling = readers.map(async ({ read }) => {
      while (!writing.signal.aborted) {
        await read();
        await wait(POLL_PAUSE_MS);
      }
    });
    const working = Promise.all([...writers, ...polling]);
    // A writer or a reader that fails ends the test at once.
    const state = { isFailed: false };
    working.catch(() => (state.isFailed = true));
    const reach = async (count: number): Promise<void> => {
      while (!state.isFailed && (await countUpdates()) < count) await wait(POLL_PAUSE_MS);
    };
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await reach((EVENTS * kill) / (KILLS + 1));
      await (await mortal).kill();
      mortal = bench.startAnother();
    }
    await reach(EVENTS);
    writing.abort();
    await working;
    for (const { read } of readers) while (!(await read()));
    const rows = await bench.database.read.query<{ id: string; sequence: number }>(
      'select id, sequence from updates order by sequence',
    );
    const all = rows.map(({ id }) => id);
    const until = performance.now() + CATCH_UP_MS_MAX;
    while (streamed.length < all.length && performance.now() < until) await wait(POLL_PAUSE_MS);
    reading.abort();
    await following;
    assert.ok(all.length >= EVENTS);
    assert.deepEqual(
      rows.map(({ sequence }) => sequence),
      all.map((_, index) => index + 1),
    );
    for (const { style, met } of [...readers, { style: 'stream', met: streamed }])
      assert.deepEqual(met, all, `${style}: ${met.length} of ${all.length}`);
    await (await mortal).kill();
    await steady.kill();
    await deliverTheRest();
    const delivered = [...collectDelivered(receiver.received).values()].map((body) =>
      getText(parseJson(body).data?.update_id),
    );
    const updates = await bench.database.read.query<{ id: string }>(
      'select id from updates where event_type = any($1) order by id',
      [DELIVERED],
    );
    assert.ok(updates.length >= EVENTS / 10);
    assert.deepEqual(
      delivered.toSorted(),
      updates.map(({ id }) => id),
    );
  });
}
