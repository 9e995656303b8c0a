/**
 * What waits for its review is asked for at every door of a client. Each answers as if it did not exist: the same as
 * after its rows are deleted, and with none of its values.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createBuilders,
  createSequences,
  expectStatus,
  UNKNOWN_ID,
  type Invoiced,
} from '#testing/builders.ts';
import { openSignedIn } from '#testing/browser.ts';
import { readAnswers, type Places } from '#testing/client-answers.ts';
import { createRawFile, withShortReason } from '#testing/lab-by-hand.ts';
import { getItems, getText, testService, type Ask, type Json } from '#testing/service.ts';
import { thinSamples } from '#testing/thin-samples.ts';

const service = await testService();
const { database, worker } = service.service;
const build = await createBuilders(service);
/** An administrator of the organization of the orders, who is not of the staff. */
const token = await service.issueToken({ role: 'admin' });
const ask = (method: string, path: string, options: Ask = {}) =>
  service.ask(method, path, { ...options, token });
const browser = await openSignedIn(service, getText((await ask('GET', '/whoami')).body.user_id));

const postLab = (id: string, step: string, body: object) =>
  service.ask('POST', `/lab/experiments/${id}/${step}`, { body: withShortReason(step, body) });

const sequences = Object.entries(createSequences(4));

/** Analyzed, and then as far as these steps of the lab. */
async function createAnalyzed(
  from: number,
  count: number,
  steps: readonly (readonly [step: string, body: object, status: number])[],
): Promise<Invoiced> {
  const named = Object.fromEntries(sequences.slice(from, from + count));
  const order = await build.createRunning(build.createBody({ sequences: named }));
  const file = thinSamples(createRawFile(named));
  for (const [step, body, status] of [['files', file, 201], ['complete', {}, 200], ...steps] as const) {
    expectStatus(await postLab(order.id, step, body), status);
    while ((await worker.runDue()) > 0);
  }
  return order;
}

const again = { reason: 'See it without drift.', settings: { drift: 'none' } };
const orders = [
  await createAnalyzed(0, 1, []),
  await createAnalyzed(1, 2, [['release', { sequences: ['design-2'] }, 200]]),
  await createAnalyzed(3, 1, [
    ['release', {}, 200],
    ['reanalyze', again, 201],
  ]),
];
const ids = orders.map(({ id }) => id);
const readLab = async (id: string): Promise<readonly Json[]> =>
  getItems((await service.ask('GET', `/lab/experiments/${id}/results?limit=100`)).body.items);
const results = await database.read.query<{ id: string; released: boolean }>(
  `select id, released_at is not null as released from results where experiment_id = any($1) order by id`,
  [ids],
);
const hidden = results.filter(({ released }) => !released).map(({ id }) => id);
const places: Places = {
  experiment_id: ids,
  quote_id: orders.map(({ quoteId }) => quoteId),
  result_id: results.map(({ id }) => id),
  sequence_id: (
    await database.read.query<{ id: string }>('select id from sequences where experiment_id = any($1)', [ids])
  ).map(({ id }) => id),
};
// The trail of the client has an entry for each reading of the staff, so they read before the doors are asked.
const readByStaff = (await Promise.all(ids.map(readLab))).flat();
const reader = { service, ask, browser };
const before = await readAnswers(reader, places);

/** Deletes what no client has: as if the analysis had not been carried out yet. */
async function deleteHidden(): Promise<void> {
  await database.runTransaction(async (tx) => {
    // Curves and decisions refer to results; nothing of them is left to refer to.
    await tx.query('set local session_replication_role = replica', []);
    await tx.query('delete from result_curves where result_id = any($1)', [hidden]);
    await tx.query('delete from results where id = any($1)', [hidden]);
  });
}

test('unreleased: results of every kind of review are there → every door of the client was asked, and the staff reads them', async () => {
  assert.equal(hidden.length, 3, 'in review, withheld, amendment');
  for (const door of ['REST /results', 'REST /experiments/', 'tool ', 'page /experiments/', 'page /results/'])
    assert.ok([...before.keys()].filter((request) => request.startsWith(door)).length >= 3, door);
  const read = new Set(readByStaff.map(({ id }) => getText(id)));
  for (const id of hidden) assert.ok(read.has(id), id);
});

test('unreleased: a result in review by its id → REST, tools and pages answer as for an id that does not exist', async () => {
  const nowhere = await readAnswers(reader, { result_id: [UNKNOWN_ID] });
  let compared = 0;
  for (const id of hidden) {
    for (const [asked, answer] of before) {
      if (!asked.includes(id)) continue;
      const unknown = nowhere.get(asked.replaceAll(id, UNKNOWN_ID));
      assert.equal(answer.replaceAll(id, UNKNOWN_ID), unknown, asked);
      compared += 1;
    }
  }
  assert.ok(compared >= hidden.length * 8, `${compared} answers about hidden results`);
});

test('unreleased: no answer of any door, no mail and no update → names a result in review or has one of its values', async () => {
  // An amendment repeats what its analysis did not change; staff read it in place of the version that clients have.
  const released = await database.read.query<{ row: Json }>(
    `select row_to_json(r) as row from results r where experiment_id = any($1) and released_at is not null`,
    [ids],
  );
  const own = new Set(released.flatMap(listValues));
  const secret = readByStaff
    .filter(({ id }) => hidden.includes(getText(id)))
    .flatMap(listValues)
    .filter((value) => !own.has(value));
  assert.ok(secret.length >= 6, secret.join());
  const mails = await database.read.query<{ text: string }>(
    `select content::text as text from mails union all select row_to_json(u)::text from updates u`,
    [],
  );
  const texts = [...before, ...mails.map(({ text }, index) => [`stored ${index}`, text] as const)];
  for (const [asked, text] of texts) {
    for (const id of hidden) assert.ok(asked.includes(id) || !text.includes(id), `${asked} names ${id}`);
    for (const value of secret) assert.ok(!text.includes(value), `${asked} has ${value}`);
  }
});

/** Numbers with digits enough to be those of one result. */
function listValues(value: unknown): string[] {
  const numbers = JSON.stringify(value).match(/\d\.\d{5,}/g) ?? [];
  return [...new Set(numbers)];
}

test('unreleased: the rows of what waits for its review are deleted → no answer of any door changes', async () => {
  await deleteHidden();
  const after = await readAnswers(reader, places);
  assert.deepEqual([...after.keys()], [...before.keys()]);
  const changed = [...before]
    .filter(([asked, answer]) => answer !== after.get(asked))
    .map(([asked]) => asked);
  for (const request of changed.slice(0, 1))
    assert.equal(after.get(request), before.get(request), changed.join('\n'));
});
