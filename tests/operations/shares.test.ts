/** Read-only links: who makes and ends them, and what whoever has one reads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, MINUTE_MS } from '#core/clock.ts';
import { Browser, openSignedIn } from '#testing/browser.ts';
import {
  createBuilders,
  createSequences,
  expectFailure,
  expectStatus,
  UNKNOWN_ID,
  VHH,
} from '#testing/builders.ts';
import { createRawFile, withShortReason } from '#testing/lab-by-hand.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getText, testService, type Json } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, clock, issueToken } = service;
const { database } = service.service;
const { createBody, createReleased, createRunning, create } = await createBuilders(service);
const sequences = {
  parent: { aa_string: VHH, control: true },
  shorter: VHH.slice(0, 40) + VHH.slice(42),
};
const { id, code } = await createReleased({
  name: 'a name of ours',
  experiment_spec: { experiment_type: 'thermostability', n_replicates: 1, sequences },
});
const results = getItems(expectStatus(await ask('GET', `/experiments/${code}/results`), 200).body.items);
const findResult = (name: string): Json => {
  const found = results.find((result) => getText(result.sequence_name) === name);
  assert.ok(found !== undefined);
  return found;
};
const shorter = getText(findResult('shorter').id);
const parent = getText(findResult('parent').id);

/** Somebody without an account. */
const reader = new Browser(service);

async function share(body: object, token?: string): Promise<{ readonly path: string; readonly made: Json }> {
  const made = expectStatus(await ask('POST', '/shares', { body, ...(token && { token }) }), 201);
  return { made: made.body, path: new URL(getText(made.body.link)).pathname };
}

test('create_share: an experiment → open for 30 days, without code, price, organization, sequence and CSV', async () => {
  const { path, made } = await share({ experiment_id: code });
  assert.equal(made.status, 'open');
  assert.equal(getText(made.expires_at), new Date(clock.now().getTime() + 30 * DAY_MS).toISOString());
  const page = await reader.open(path);
  assert.equal(page.status, 200);
  for (const name of ['shorter', 'parent', 'Thermostability']) assert.match(page.text, new RegExp(name));
  assert.equal(page.headers['referrer-policy'], 'no-referrer');
  assert.equal(page.headers['x-robots-tag'], 'noindex, nofollow');
  assert.equal(page.headers['cache-control'], 'no-store');
  const places = [
    path,
    `${path}/plot.svg`,
    `${path}/plot.svg?view=melts`,
    `${path}/results/${shorter}`,
    `${path}/results/${shorter}/plot.svg`,
    `${path}/results/${shorter}/curves.json`,
  ];
  const { body: me } = await ask('GET', '/whoami');
  const [own] = getItems(me.organizations);
  for (const place of places) {
    const { status, text } = await reader.open(place);
    assert.equal(status, 200, place);
    for (const hidden of [code, id, 'a name of ours', getText(own?.name), VHH.slice(0, 12), '$'])
      assert.ok(!text.includes(hidden), `${place} has ${hidden}`);
  }
  for (const file of ['results.csv', `results/${shorter}/curves.csv`])
    assert.equal((await reader.open(`${path}/${file}`)).status, 404, file);
  assert.doesNotMatch(page.text, /href="\/(?!shared|assets|docs)/);
});

test('create_share: a result → that result alone, by its link and by its id', async () => {
  const { path, made } = await share({ result_id: shorter, title: 'Ours', shared_by: 'A. Sender' });
  assert.equal(made.sequence_name, 'shorter');
  const page = await reader.open(path);
  assert.match(page.text, /Ours/);
  assert.match(page.text, /Shared by <bdi>A\. Sender<\/bdi>/);
  assert.doesNotMatch(page.text, /parent/);
  assert.equal((await reader.open(`${path}/results/${shorter}/curves.json`)).status, 200);
  const others = ['/plot.svg', '/results.csv', `/results/${parent}`, `/results/${parent}/plot.svg`];
  for (const place of [...others, `/results/${UNKNOWN_ID}`])
    assert.equal((await reader.open(`${path}${place}`)).status, 404, place);
});

test('create_share: amino acids and CSV are ticked → readers see and save them, without the code', async () => {
  const { path } = await share({ experiment_id: code, shows_sequences: true, allows_csv: true });
  const { text } = await reader.open(`${path}/results/${shorter}`);
  assert.ok(text.replaceAll(/<[^>]+>/g, '').includes(VHH.slice(0, 40)));
  for (const file of ['results.csv', `results/${shorter}/curves.csv`]) {
    const { status, text: csv } = await reader.open(`${path}/${file}`);
    assert.equal(status, 200, file);
    assert.match(csv, /shorter/);
    assert.ok(!csv.includes(code), file);
  }
});

test('create_share: a result is amended → the link shows the present released version, and nothing before its release', async () => {
  const { path } = await share({ result_id: shorter });
  const body = { settings: { baseline: 'shared' }, reason: 'again' };
  expectStatus(await ask('POST', `/lab/experiments/${id}/reanalyze`, { body }), 201);
  while ((await service.service.worker.runDue()) > 0);
  const [version] = await database.read.query<{ id: string }>(
    `select id from results where experiment_id = $1 and version = 2 and record ->> 'sequence_name' = 'shorter'`,
    [id],
  );
  assert.ok(version !== undefined);
  assert.equal((await reader.open(`${path}/results/${version.id}`)).status, 404);
  assert.ok(!(await reader.open(path)).text.includes(version.id));
  expectStatus(await ask('POST', `/lab/experiments/${id}/amend`, { body: { reason: 'better' } }), 200);
  const { text } = await reader.open(path);
  assert.ok(text.includes(version.id));
  assert.ok((await reader.open(`${path}/results/${shorter}`)).text.includes(version.id), 'by an older id');
});

test('revoke_share: a member revokes → 410 at once with a calm page; unknown links → 404; a repeat changes nothing', async () => {
  const { path, made } = await share({ experiment_id: code });
  const gone = expectStatus(await ask('DELETE', `/shares/${getText(made.id)}`), 200);
  assert.equal(gone.body.status, 'revoked');
  clock.advance(MINUTE_MS);
  assert.deepEqual(expectStatus(await ask('DELETE', `/shares/${getText(made.id)}`), 200).body, gone.body);
  for (const place of [path, `${path}/plot.svg`, `${path}/results/${shorter}/curves.json`]) {
    const { status, text } = await reader.open(place);
    assert.equal(status, 410, place);
    assert.match(text, /Nothing is shared here now/);
  }
  for (const unknown of ['/shared/x', `/shared/${'a'.repeat(32)}`, `/shared/${'a'.repeat(32)}/plot.svg`]) {
    const { status, text } = await reader.open(unknown);
    assert.equal(status, 404, unknown);
    assert.match(text, /Nothing is shared here now/);
  }
});

test('create_share: a day passes → the link of a day answers 410, and the list says expired', async () => {
  const { path, made } = await share({ experiment_id: code, expires_in: '1d' });
  clock.advance(DAY_MS - 1);
  assert.equal((await reader.open(path)).status, 200);
  clock.advance(1);
  assert.equal((await reader.open(path)).status, 410);
  const listed = expectStatus(await ask('GET', `/shares?filter=eq(id,${getText(made.id)})`), 200);
  assert.equal(getItems(listed.body.items)[0]?.status, 'expired');
  const open = expectStatus(await ask('GET', '/shares?filter=eq(status,open)&limit=100'), 200);
  assert.ok(getItems(open.body.items).every((item) => getText(item.status) === 'open'));
});

test('list_shares: a link is opened → the minute stands in the list, and the digest alone in the database', async () => {
  const { path, made } = await share({ experiment_id: code });
  await reader.open(path);
  const listed = expectStatus(await ask('GET', `/shares?experiment_id=${code}&search=${code}`), 200);
  const item = getItems(listed.body.items).find((each) => getText(each.id) === getText(made.id));
  assert.equal(item?.opened_at, clock.now().toISOString());
  assert.ok(!listed.text.includes(path.split('/').at(-1) ?? ''));
  const [{ text } = { text: '' }] = await database.read.query<{ text: string }>(
    `select string_agg(row_to_json(s)::text, '') || (select string_agg(row_to_json(a)::text, '') from audit_log a) as text from shares s`,
    [],
  );
  assert.ok(!text.includes(path.split('/').at(-1) ?? ''));
});

test('create_share: a token that ends earlier, and one that is revoked → the link ends with it', async () => {
  const member = await issueToken({ role: 'admin' });
  const made = expectStatus(
    await ask('POST', '/tokens', { token: member, body: { name: 'a', role: 'member', expires_in: '7d' } }),
    201,
  );
  const token = getText(made.body.token);
  const { path, made: shared } = await share({ experiment_id: code, expires_in: '1y' }, token);
  // A token ends with a whole second.
  assert.equal(getText(shared.expires_at).slice(0, 19), getText(made.body.expires_at).slice(0, 19));
  assert.equal((await reader.open(path)).status, 200);
  expectStatus(await ask('POST', '/tokens/revoke', { token: member, body: {} }), 200);
  assert.equal((await reader.open(path)).status, 410);
  const listed = expectStatus(await ask('GET', `/shares?filter=eq(id,${getText(shared.id)})`), 200);
  assert.equal(getItems(listed.body.items)[0]?.status, 'withdrawn');
});

test('create_share: its maker leaves the organization or becomes a viewer → the link stands no more', async () => {
  const token = await issueToken({ role: 'member' });
  const { path } = await share({ experiment_id: code }, token);
  const userId = getText((await ask('GET', '/whoami', { token })).body.user_id);
  await database.read.query(`update memberships set role = 'viewer' where user_id = $1`, [userId]);
  assert.equal((await reader.open(path)).status, 410);
});

test('token_restricted: a token limited to the experiment, a read-only one → no link; a viewer → 403', async () => {
  const body = { experiment_id: code };
  for (const attenuation of [{ resource_ids: [code] }, { non_destructive: true }]) {
    const root = await issueToken({ role: 'admin' });
    const derived = await ask('POST', '/tokens/attenuate', {
      token: root,
      body: { token: root, name: 'narrow', attenuation },
    });
    const token = getText(derived.body.token);
    expectFailure(await ask('POST', '/shares', { token, body }), 403, 'token_restricted');
  }
  const viewer = await issueToken({ role: 'viewer' });
  expectFailure(await ask('POST', '/shares', { token: viewer, body }), 403, 'permission_denied');
});

test('share_not_found: links, results and experiments of another organization → 404, and none is listed', async () => {
  const token = await issueToken({ role: 'admin', ownOrganization: true });
  const { made } = await share({ experiment_id: code });
  expectFailure(await ask('DELETE', `/shares/${getText(made.id)}`, { token }), 404, 'share_not_found');
  expectFailure(
    await ask('POST', '/shares', { token, body: { experiment_id: code } }),
    404,
    'experiment_not_found',
  );
  expectFailure(
    await ask('POST', '/shares', { token, body: { result_id: shorter } }),
    404,
    'result_not_found',
  );
  assert.equal((await ask('GET', '/shares', { token })).body.total, 0);
});

test('invalid_request: neither or both are named, an endless or an empty title → 400; nothing released → 404', async () => {
  for (const body of [{}, { experiment_id: code, result_id: shorter }, { experiment_id: null }])
    expectFailure(await ask('POST', '/shares', { body }), 400, 'invalid_request');
  for (const wrong of [{ expires_in: '2y' }, { expires_in: null }, { title: '' }, { title: 'x'.repeat(121) }])
    expectFailure(
      await ask('POST', '/shares', { body: { experiment_id: code, ...wrong } }),
      400,
      'invalid_request',
    );
  const draft = await create();
  expectFailure(
    await ask('POST', '/shares', { body: { experiment_id: draft.code } }),
    404,
    'results_not_released',
  );
  expectFailure(await ask('GET', '/shares?filter=eq(digest,x)'), 400, 'invalid_query');
});

test('too_many_shares: 500 links are open → 409, until one is revoked', async () => {
  const token = await issueToken({ role: 'admin' });
  await database.read.query(
    `insert into shares select gen_random_uuid(), organization_id, experiment_id, null, sha256(n::text::bytea), null, null,
       false, false, user_id, null, created_at, $1, null, null from (select * from shares limit 1) s, generate_series(1, 500) n`,
    [new Date(clock.now().getTime() + DAY_MS)],
  );
  expectFailure(
    await ask('POST', '/shares', { token, body: { experiment_id: code } }),
    409,
    'too_many_shares',
  );
  await database.read.query(`delete from shares where title is null and expires_at < $1`, [
    new Date(clock.now().getTime() + 2 * DAY_MS),
  ]);
});

test('shared links page: a result is shared by the form → the link is shown once, works, and is revoked there', async () => {
  const browser = await openSignedIn(service);
  const path = '/organization/shares';
  const result = await browser.open(`/results/${shorter}`);
  assert.ok(result.text.includes(`href="${path}?result_id=${shorter}"`));
  assert.ok(
    (await browser.open(`/experiments/${code}`)).text.includes(`href="${path}?experiment_id=${code}"`),
  );
  const form = await browser.open(`${path}?result_id=${shorter}`);
  const refused = await browser.send(form, `${path}/create`, { title: 'x'.repeat(200), expires_in: '7d' });
  assert.match(refused.text, /120/);
  const made = await browser.send(form, `${path}/create`, { title: 'By hand', expires_in: '7d' });
  const link = /id="secret">([^<]+)</.exec(made.text)?.[1] ?? '';
  const { pathname } = new URL(link);
  assert.equal((await reader.open(pathname)).status, 200);
  const list = await browser.open(path);
  assert.match(list.text, /By hand/);
  assert.ok(!list.text.includes(pathname));
  const { body } = await ask('GET', '/shares?filter=eq(title,By hand)');
  const [item] = getItems(body.items);
  const done = await browser.send(list, `${path}/revoke`, { share_id: getText(item?.id) });
  assert.equal(done.status, 303);
  assert.equal((await reader.open(pathname)).status, 410);
});

test('rate_limited: somebody tries secrets → 429, and other clients still get an answer', async () => {
  const limited = await testService({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '20' });
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async (_, count) => {
      const guesser = new Browser(limited, '10.9.8.7');
      return (await guesser.open(`/shared/${String(count).padStart(32, 'a')}`)).status;
    }),
  );
  assert.deepEqual(
    [...new Set(statuses)].toSorted((a, b) => a - b),
    [404, 429],
  );
  assert.equal((await new Browser(limited).open(`/shared/${'a'.repeat(32)}`)).status, 404);
});

test('shared: a part of the results is released → the link shows that part alone, and the rest after its release', async () => {
  const named = createSequences(2);
  const order = await createRunning(createBody({ sequences: named }));
  const steps = [
    ['files', createRawFile(named), 201],
    ['complete', {}, 200],
    ['release', { sequences: ['design-2'] }, 200],
  ] as const;
  for (const [step, body, status] of steps) {
    const sent = { body: withShortReason(step, body) };
    expectStatus(await ask('POST', `/lab/experiments/${order.id}/${step}`, sent), status);
    while ((await service.service.worker.runDue()) > 0);
  }
  const { path } = await share({ experiment_id: order.code, allows_csv: true });
  const [hidden] = await database.read.query<{ id: string }>(
    'select id from results where experiment_id = $1 and released_at is null',
    [order.id],
  );
  for (const place of [path, `${path}/plot.svg`, `${path}/results.csv`]) {
    const { status, text } = await reader.open(place);
    assert.equal(status, 200, place);
    assert.match(text, /design-2/);
    assert.ok(!text.includes('design-1'), place);
  }
  assert.equal((await reader.open(`${path}/results/${hidden?.id}`)).status, 404);
  const rest = { body: withShortReason('release', {}) };
  expectStatus(await ask('POST', `/lab/experiments/${order.id}/release`, rest), 200);
  assert.match((await reader.open(path)).text, /design-1/);
});

proveCoverage('shares');
