import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText } from '#testing/service.ts';

const service = await createRecordedService();
const { ask } = service;
const { createQuoted, createReleased } = await createBuilders(service);

test('list_updates: all experiments → newest first; one experiment → oldest first', async () => {
  const { id, code } = await createQuoted();
  const one = expectStatus(await ask('GET', `/experiments/${code}/updates`), 200);
  const names = getItems(one.body.items).map((item) => item.name);
  assert.deepEqual(names, ['Experiment created', 'Submitted for review', 'Quote opened', 'Quote ready']);
  const filter = encodeURIComponent(`and(eq(experiment_id,${id}),eq(type,status_change))`);
  const feed = expectStatus(await ask('GET', `/updates?filter=${filter}`), 200);
  assert.deepEqual(
    getItems(feed.body.items).map((item) => item.status),
    ['quote_sent', 'waiting_for_confirmation', 'draft'],
  );
});

test('list_updates: an experiment from order to results → types of each topic; a status change has both statuses', async () => {
  const { code } = await createReleased();
  const feed = expectStatus(await ask('GET', `/updates?limit=100&filter=eq(experiment_code,'${code}')`), 200);
  const items = getItems(feed.body.items);
  const types = new Set(items.map(({ type }) => getText(type)));
  for (const type of ['status_change', 'progress', 'quote', 'invoice', 'results'])
    assert.ok(types.has(type), `${type} in ${[...types].join()}`);
  const statuses = items.map(({ type, previous_status: before, status }) => [getText(type), before, status]);
  const changes = statuses.filter(([type]) => type === 'status_change').reverse();
  assert.deepEqual(changes[0], ['status_change', null, 'draft']);
  for (const [index, [, before]] of changes.entries())
    if (index > 0) assert.equal(before, changes[index - 1]?.[2]);
  for (const [type, before, status] of statuses)
    if (type !== 'status_change') assert.deepEqual([before, status], [null, null]);
});

test('invalid_query: updates are filtered by an unreadable filter → 400', async () => {
  const { id } = await createQuoted();
  expectFailure(await ask('GET', '/updates?filter=eq('), 400, 'invalid_query');
  expectFailure(await ask('GET', `/experiments/${id}/updates?filter=eq(`), 400, 'invalid_query');
});

test('experiment_not_found: the updates of an unknown experiment → 404', async () => {
  expectFailure(await ask('GET', `/experiments/${UNKNOWN_ID}/updates`), 404, 'experiment_not_found');
});

proveCoverage('updates');
