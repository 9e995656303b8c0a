import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText, type Json } from '#testing/service.ts';

const service = await createRecordedService();
const { ask } = service;
const { create, createBody, createQuoted, createReleased } = await createBuilders(service);

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

test('update_not_found: an update by its id → the item of the feed; an unknown one → 404', async () => {
  const { code } = await createQuoted();
  const feed = expectStatus(await ask('GET', `/experiments/${code}/updates`), 200);
  const [first] = getItems(feed.body.items);
  assert.deepEqual(expectStatus(await ask('GET', `/updates/${getText(first?.id)}`), 200).body, first);
  expectFailure(await ask('GET', `/updates/${UNKNOWN_ID}`), 404, 'update_not_found');
});

test('sequence: updates of an organization → 1, 2, 3 …, and ids in the same order', async () => {
  await createQuoted();
  const items: Json[] = [];
  for (let query = 'sort=id&limit=100'; ;) {
    const { body } = expectStatus(await ask('GET', `/updates?${query}`), 200);
    if (getItems(body.items).length === 0) break;
    items.push(...getItems(body.items));
    query = `sort=id&limit=100&cursor=${getText(body.next)}`;
  }
  assert.deepEqual(
    items.map(({ sequence }) => sequence),
    items.map((_, index) => index + 1),
  );
  const ids = items.map(({ id }) => getText(id));
  assert.deepEqual(ids, ids.toSorted());
});

test('next: the feed is read to its end in any order → the last cursor leads to what happens later, once', async () => {
  const { code } = await createQuoted();
  for (const sort of ['', '&sort=id', '&sort=-timestamp', '&sort=name']) {
    const read = async (cursor: string) => {
      const query = `limit=2&experiment_id=${code}${sort}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      return expectStatus(await ask('GET', `/updates?${query}`), 200).body;
    };
    const seen: string[] = [];
    let page = await read('');
    for (; getItems(page.items).length > 0; page = await read(getText(page.next)))
      seen.push(...getItems(page.items).map(({ id }) => getText(id)));
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(getItems((await read(getText(page.next))).items), [], 'an empty page repeats nothing');
    const before = seen.length;
    expectStatus(await ask('PATCH', `/experiments/${code}`, { body: { name: `After ${sort}` } }), 200);
    const { code: other } = await createQuoted();
    const later = await ask('GET', `/updates?limit=100&experiment_id=${other}`);
    assert.equal(getItems(later.body.items).length, 4);
    assert.deepEqual(getItems((await read(getText(page.next))).items), [], 'the filter holds');
    assert.ok(before >= 4);
  }
  const end = expectStatus(await ask('GET', '/updates?sort=id&filter=eq(type,quote)&offset=1000'), 200);
  const { code: last } = await createQuoted();
  const news = await ask('GET', `/updates?sort=id&filter=eq(type,quote)&cursor=${getText(end.body.next)}`);
  assert.deepEqual(
    getItems(news.body.items).map((item) => [item.experiment_code, item.event_type]),
    [[last, 'quote.opened']],
  );
});

test('experiment_id: updates are filtered by id, by code and by both → the same updates', async () => {
  const [one, other] = [await createQuoted(), await createQuoted()];
  const list = async (filter: string) =>
    getItems(
      expectStatus(await ask('GET', `/updates?limit=100&filter=${encodeURIComponent(filter)}`), 200).body
        .items,
    ).map(({ id }) => id);
  const byId = await list(`eq(experiment_id,${one.id})`);
  assert.equal(byId.length, 4);
  assert.deepEqual(await list(`eq(experiment_id,'${one.code}')`), byId);
  const both = await list(`in(experiment_id,'${one.code}',${other.id})`);
  assert.deepEqual(both, await list(`in(experiment_id,${one.id},${other.id})`));
  assert.equal(both.length, 8);
  const refused = encodeURIComponent(`eq(experiment_id,neither)`);
  expectFailure(await ask('GET', `/updates?filter=${refused}`), 400, 'invalid_query');
});

test('event_type: an order from draft to results → objects, amounts, values and actors, the cause first', async () => {
  const { code, quoteId, invoiceId } = await createReleased();
  const feed = expectStatus(await ask('GET', `/experiments/${code}/updates?limit=100`), 200);
  const items = getItems(feed.body.items);
  const find = (event: string, status?: string) => {
    const index = items.findIndex(
      (item) =>
        getText(item.event_type) === event && (status === undefined || getText(item.status) === status),
    );
    assert.ok(index >= 0, `${event} in ${items.map((item) => getText(item.event_type)).join()}`);
    return { index, item: items[index] ?? {} };
  };
  const accepted = find('experiment.status_changed', 'waiting_for_materials');
  const invoiced = find('invoice.opened');
  const paid = find('invoice.paid');
  assert.ok(accepted.index < invoiced.index && invoiced.index < paid.index);
  assert.equal(accepted.item.quote_id, quoteId);
  assert.equal(paid.item.invoice_id, invoiceId);
  assert.deepEqual(
    [paid.item.previous_values, paid.item.new_values],
    [{ status: 'open' }, { status: 'paid' }],
  );
  assert.equal(paid.item.amount_cents, accepted.item.amount_cents);
  assert.equal(paid.item.currency, 'usd');
  assert.equal(find('experiment.created').item.actor?.kind, 'client');
  const released = find('results.released').item;
  assert.equal(released.actor?.kind, 'lab');
  assert.equal(released.actor?.name, null);
  assert.equal(released.result_count, getItems(released.result_ids).length);
});

test('experiment.deleted: a draft is deleted → its updates stay, with one that says so', async () => {
  const { id, code } = await create();
  expectStatus(await ask('DELETE', `/experiments/${id}`), 204);
  const feed = expectStatus(await ask('GET', `/updates?experiment_id=${code}`), 200);
  assert.deepEqual(
    getItems(feed.body.items).map(({ event_type: event }) => event),
    ['experiment.deleted', 'experiment.created'],
  );
});

test('list_all_updates: staff and partners → every organization, and those of clients; others are refused', async () => {
  const { code } = await createQuoted();
  const all = expectStatus(await ask('GET', `/lab/updates?experiment_id=${code}`), 200);
  assert.equal(getItems(all.body.items).length, 4);
  assert.equal(getItems(all.body.items)[0]?.organization_name, 'Demo organization');
  const partner = expectStatus(await ask('GET', `/partners/updates?experiment_id=${code}`), 200);
  assert.deepEqual(getItems(partner.body.items), [], 'the own experiment is not one of a client');
  const minted = await ask('POST', '/partners/mint-token', {
    body: { org: { type: 'new_org', name: 'Client of ours' }, user: { email: 'feed-client@example.org' } },
  });
  const token = getText(expectStatus(minted, 201).body.token);
  const order = { ...createBody(), experiment_spec: createBody().experiment_spec };
  const made = expectStatus(await ask('POST', '/experiments', { token, body: order }), 201);
  const theirs = expectStatus(await ask('GET', `/partners/updates?limit=100`), 200);
  assert.deepEqual(
    getItems(theirs.body.items).map((item) => [item.experiment_id, item.organization_name]),
    [[made.body.experiment_id, 'Client of ours']],
  );
  const end = getText(theirs.body.next);
  assert.deepEqual(getItems((await ask('GET', `/partners/updates?limit=100&cursor=${end}`)).body.items), []);
  for (const path of ['/lab/updates', '/partners/updates'])
    expectFailure(await ask('GET', path, { token }), 403, 'permission_denied');
  for (const path of ['/lab/updates', '/partners/updates'])
    expectFailure(await ask('GET', `${path}?filter=eq(`), 400, 'invalid_query');
});

test('stream_updates: the current updates of an experiment → as server-sent events after a place', async () => {
  const { code } = await createQuoted();
  const feed = getItems(expectStatus(await ask('GET', `/experiments/${code}/updates`), 200).body.items);
  const path = `/updates/stream?follow=false&experiment_id=${code}`;
  const read = async (headers: Readonly<Record<string, string>>) =>
    expectStatus(await ask('GET', path, { headers }), 200)
      .text.split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line): unknown => JSON.parse(line.slice(6)));
  assert.deepEqual(await read({}), [], 'without a place it begins with what happens next');
  assert.deepEqual(await read({ 'last-event-id': '00000000-0000-0000-0000-000000000000' }), feed);
  assert.deepEqual(await read({ 'last-event-id': getText(feed[1]?.id) }), feed.slice(2));
  expectFailure(await ask('GET', path, { headers: { 'last-event-id': 'x' } }), 400, 'invalid_query');
  const unknown = `/updates/stream?follow=false&experiment_id=${UNKNOWN_ID}`;
  expectFailure(await ask('GET', unknown), 404, 'experiment_not_found');
});

test('cursor: a list is left in its middle → its cursor begins no stream; its last one does, in whichever order', async () => {
  await createQuoted();
  for (const [list, path] of [
    ['/updates', '/updates/stream'],
    ['/lab/updates', '/lab/updates/stream'],
  ])
    for (const sort of ['', '&sort=id', '&sort=-timestamp']) {
      const page = expectStatus(await ask('GET', `${list}?limit=1${sort}`), 200);
      const stream = (cursor: string) => ask('GET', `${path}?follow=false&cursor=${cursor}`);
      const refused = await stream(getText(page.body.next));
      expectFailure(refused, 400, 'invalid_query');
      assert.match(refused.text, /read such a list to its end/);
      const end = expectStatus(await ask('GET', `${list}?offset=100000${sort}`), 200);
      const { code } = await create();
      assert.match(expectStatus(await stream(getText(end.body.next)), 200).text, new RegExp(code));
    }
});

test('stream_all_updates: two organizations → both, with their names; a client → 403', async () => {
  const other = await service.issueToken({ ownOrganization: true });
  const [{ code }, { code: theirs }] = [await create(), await create(createBody(), { token: other })];
  const path = '/lab/updates/stream?follow=false';
  const headers = { 'last-event-id': '00000000-0000-0000-0000-000000000000' };
  const { text } = expectStatus(await ask('GET', path, { headers }), 200);
  const events = text.split('\n').filter((line) => line.startsWith('data: '));
  const seen = events.map((line): Json => JSON.parse(line.slice(6)));
  for (const each of [code, theirs]) {
    const found = seen.find(({ experiment_code: item }) => getText(item) === each);
    assert.ok(getText(found?.organization_name).length > 0);
  }
  assert.equal((await ask('GET', path, { token: other })).status, 403);
});

proveCoverage('updates');
