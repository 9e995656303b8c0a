import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turnLoop } from 'node:timers/promises';
import { LiveStream } from '#core/live-stream.ts';
import type { Database } from '#core/sql.ts';
import { LiveFeed, type Listener } from './live-feed.ts';

const ID = '01980000-0000-7000-8000-0000000000d1';
const REVOKED_ID = '01980000-0000-7000-8000-0000000000d2';
/** What the service promises. */
const BEAT_MS = 15_000;
const REVOKED_WITHIN_MS = 5_000;

/** A database in which nothing happens, and each token but the revoked one stands. */
const quiet: Pick<Database, 'read'> = {
  read: {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one row that fits each statement of the loop
    query: <T>() => Promise.resolve([{ id: ID, last_id: ID, role: 'admin', staff_roles: [] }] as T[]),
  },
};

function createListener(tokenId = ID): Listener & { beats: number; isOpen: boolean } {
  const stream = new LiveStream({
    key: 'key',
    organizationId: ID,
    readsAll: false,
    after: ID,
    isFollowing: true,
    read: () => Promise.resolve([]),
  });
  const principal = { tokenId, organizationId: ID, userId: ID, tokenExpiresAt: null };
  const listener = {
    stream,
    principal,
    beats: 0,
    isOpen: true,
    wake: () => undefined,
    tellChange: () => undefined,
    sendBeat: () => void (listener.beats += 1),
    close: () => void (listener.isOpen = false),
  };
  return listener;
}

function createFeed(): { readonly feed: LiveFeed; readonly errors: readonly unknown[] } {
  const errors: unknown[] = [];
  const feed = new LiveFeed({
    feed: { settle: () => Promise.resolve() },
    database: quiet,
    now: () => new Date('2026-03-02T09:00:00.000Z'),
    logError: (error) => errors.push(error),
    labOperations: new Map(),
  });
  return { feed, errors };
}

test('heartbeat: nothing happens for 15 s → each stream shows that it still goes; before that and after it left, nothing', (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const { feed, errors } = createFeed();
  const [staying, leaving] = [createListener(), createListener()];
  feed.add(staying);
  feed.add(leaving);
  context.mock.timers.tick(BEAT_MS - 1);
  assert.deepEqual([staying.beats, leaving.beats], [0, 0]);
  context.mock.timers.tick(1);
  feed.remove(leaving);
  context.mock.timers.tick(BEAT_MS);
  assert.deepEqual([staying.beats, leaving.beats], [2, 1]);
  assert.ok(staying.isOpen);
  assert.deepEqual(errors, []);
  feed.close();
});

test('token_revoked: the token of one of two streams stands no more → that stream ends within five seconds, the other one goes on', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const { feed, errors } = createFeed();
  const [staying, revoked] = [createListener(), createListener(REVOKED_ID)];
  feed.add(staying);
  feed.add(revoked);
  context.mock.timers.tick(REVOKED_WITHIN_MS);
  await turnLoop();
  assert.deepEqual([staying.isOpen, revoked.isOpen, errors], [true, false, []]);
  feed.close();
});
