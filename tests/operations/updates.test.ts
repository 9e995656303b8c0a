import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems } from '#testing/service.ts';

const service = await createRecordedService();
const { ask } = service;
const { createQuoted } = await createBuilders(service);

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

test('invalid_query: updates are filtered by an unreadable filter → 400', async () => {
  const { id } = await createQuoted();
  expectFailure(await ask('GET', '/updates?filter=eq('), 400, 'invalid_query');
  expectFailure(await ask('GET', `/experiments/${id}/updates?filter=eq(`), 400, 'invalid_query');
});

test('experiment_not_found: the updates of an unknown experiment → 404', async () => {
  expectFailure(await ask('GET', `/experiments/${UNKNOWN_ID}/updates`), 404, 'experiment_not_found');
});

proveCoverage('updates');
