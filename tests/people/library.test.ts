/** What the sign-in library finds in our tables, and what it makes of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getMigrations } from 'better-auth/db/migration';
import pg from 'pg';
import { createPeople } from '#adapters/people/people.ts';
import { createLogger } from '#transports/log.ts';
import { openSignedIn } from '#testing/browser.ts';
import { testDatabase } from '#testing/database.ts';
import { testService } from '#testing/service.ts';
import type { Service } from '../../src/main.ts';

function createParts({ work, database }: Service): Parameters<typeof createPeople>[0] {
  return {
    work,
    database,
    log: createLogger('silent', { write: () => undefined }),
    secret: 'a secret of at least thirty-two characters',
    attemptsPerMinute: 1,
    provider: null,
    isProgramAlive: async () => false,
    effects: {},
  };
}

test('schema: the library’s own check → no table or column is missing', async () => {
  const { service } = await testService();
  const { connection } = await testDatabase();
  const people = createPeople(createParts(service));
  const pool = new pg.Pool({ ...connection, max: 1 });
  try {
    const { toBeCreated, toBeAdded } = await getMigrations({
      ...(await people.loadLibrary()).options,
      database: pool,
    });
    assert.deepEqual({ toBeCreated, toBeAdded }, { toBeCreated: [], toBeAdded: [] });
  } finally {
    await pool.end();
  }
});

test('library: its load fails → all who wait for it are told, and whoever asks next loads it again', async () => {
  const { service } = await testService();
  let loads = 0;
  const people = createPeople(createParts(service), () => Promise.reject(new Error(`load ${++loads}`)));
  const both = [people.loadLibrary(), people.loadLibrary()];
  await Promise.all(both.map((one) => assert.rejects(one, /load 1/)));
  await assert.rejects(people.loadLibrary(), /load 2/);
  assert.equal(loads, 2);
});

test('session: a link opens one → the library knows it, and it ends by the injected clock', async () => {
  const test = await testService();
  const browser = await openSignedIn(test);
  const headers = new Headers({ cookie: browser.cookie });
  const { api } = await test.service.people.loadLibrary();
  const session = await api.getSession({ headers });
  assert.equal(session?.user.id, test.service.founder.userId);
  test.clock.advance(31 * 24 * 3_600_000);
  assert.equal(await api.getSession({ headers }), null);
  assert.equal((await browser.open('/account')).status, 401);
});
