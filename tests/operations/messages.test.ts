import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn } from '#testing/browser.ts';
import { createBuilders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { takeMails } from '#testing/notices.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText, type Ask } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, clock, issueToken } = service;
const build = await createBuilders(service);
const FOUNDER = 'demo@example.org';

const client = await issueToken({ role: 'member', ownOrganization: true });
const CLIENT = 'person-1@example.org';
const order = expectStatus(
  await ask('POST', '/experiments', {
    token: client,
    body: { name: 'talked about', experiment_spec: build.createBody().experiment_spec },
  }),
  201,
).body;
const code = getText(order.experiment_code);
const path = `/experiments/${code}/messages`;

const send = (body: object, options: Ask = { token: client }) => ask('POST', path, { ...options, body });
const answer = (body: object, options: Ask = {}) => ask('POST', `/lab${path}`, { ...options, body });
const list = async (options: Ask = { token: client }, query = '') =>
  getItems(expectStatus(await ask('GET', `${path}${query}`, options), 200).body.items);

test('send_message: a client writes and the lab answers → both read both, oldest first, and no client reads who of the lab wrote', async () => {
  const question = expectStatus(
    await send({ text: 'Which chain carries the tag?\nThe heavy one?' }),
    201,
  ).body;
  clock.advance(60_000);
  const reply = expectStatus(await answer({ text: 'The heavy one, at its end.' }), 201).body;
  const ofClient = await list();
  assert.deepEqual(
    ofClient.map(({ id, side, author, text, experiment_code: of }) => [id, side, author, text, of]),
    [
      [question.id, 'client', CLIENT, 'Which chain carries the tag?\nThe heavy one?', code],
      [reply.id, 'lab', null, 'The heavy one, at its end.', code],
    ],
  );
  const filter = encodeURIComponent(`eq(experiment_code,${code})`);
  const ofLab = getItems(expectStatus(await ask('GET', `/lab/messages?filter=${filter}`), 200).body.items);
  assert.deepEqual(
    ofLab.map(({ side, author }) => [side, author]),
    [
      ['lab', FOUNDER],
      ['client', ofClient[0]?.author],
    ],
  );
});

test('send_message: a message → one update of the feed and one entry of the audit trail, with its side', async () => {
  expectStatus(await send({ text: 'And the light one?' }), 201);
  const feed = await ask('GET', `/experiments/${code}/updates?sort=-timestamp&limit=1`, { token: client });
  const [update] = getItems(expectStatus(feed, 200).body.items);
  assert.deepEqual(
    [update?.event_type, update?.type, update?.name, update?.description],
    ['message.sent', 'progress', 'Message to the lab', 'And the light one?'],
  );
});

test('list_lab_messages: is_answered → what waits for the lab alone', async () => {
  const filter = encodeURIComponent(`and(eq(experiment_code,${code}),eq(is_answered,false))`);
  const waiting = async () =>
    getItems(expectStatus(await ask('GET', `/lab/messages?filter=${filter}`), 200).body.items).map(
      ({ text }) => text,
    );
  assert.deepEqual(await waiting(), ['And the light one?']);
  clock.advance(60_000);
  expectStatus(await answer({ text: 'No tag.' }), 201);
  assert.deepEqual(await waiting(), []);
});

test('send_message: mails → the other side is told, with the words and the page, and not who of the lab wrote', async () => {
  await takeMails(service);
  expectStatus(await send({ text: 'A word about the order.' }), 201);
  const toLab = await takeMails(service);
  assert.deepEqual(
    toLab.map(({ recipient }) => recipient),
    [FOUNDER],
  );
  assert.match(toLab[0]?.content?.paragraphs[0] ?? '', /wrote about .*: A word about the order\.$/);
  assert.match(
    decodeURIComponent(toLab[0]?.content?.action?.url ?? ''),
    new RegExp(`/lab/experiments/${code}#messages$`),
  );
  expectStatus(await answer({ text: 'An answer.' }), 201);
  const toClient = await takeMails(service);
  assert.deepEqual(
    toClient.map(({ recipient }) => recipient),
    [CLIENT],
  );
  assert.doesNotMatch(JSON.stringify(toClient[0]?.content), new RegExp(FOUNDER), 'the name of the staff');
});

test('send_message: a colleague is named whose role gets no such mails → this mail arrives, beside that of the staff', async () => {
  await issueToken({ role: 'viewer' });
  const viewer = 'person-2@example.org';
  const own = await build.create();
  await takeMails(service);
  const text = `@${viewer}: please look, @demo too.`;
  const { mentions } = expectStatus(
    await ask('POST', `/experiments/${own.code}/messages`, { body: { text } }),
    201,
  ).body;
  assert.deepEqual(mentions, [viewer]);
  const mails = await takeMails(service);
  assert.deepEqual(mails.map(({ recipient }) => recipient).sort(), [FOUNDER, viewer].sort());
  const named = mails.find(({ recipient }) => recipient === viewer);
  assert.match(
    decodeURIComponent(named?.content?.action?.url ?? ''),
    new RegExp(`/experiments/${own.code}#messages$`),
  );
});

test('send_message: results and experiments of others, or unreleased → 404, and nothing is kept', async () => {
  const { body: before } = await ask('GET', path, { token: client });
  const other = await issueToken({ role: 'admin', ownOrganization: true });
  expectFailure(await send({ text: 'x' }, { token: other }), 404, 'experiment_not_found');
  expectFailure(await ask('GET', path, { token: other }), 404, 'experiment_not_found');
  expectFailure(await send({ text: 'x', result_id: UNKNOWN_ID }), 404, 'result_not_found');
  expectFailure(await answer({ text: 'x', result_id: UNKNOWN_ID }), 404, 'result_not_found');
  const unknown = `/experiments/${UNKNOWN_ID}/messages`;
  for (const address of [unknown, `/lab${unknown}`])
    expectFailure(await ask('POST', address, { body: { text: 'x' } }), 404, 'experiment_not_found');
  const { body: after } = await ask('GET', path, { token: client });
  assert.equal(after.total, before.total);
});

test('send_message: about a released result → the message names its sequence; a result of another order → 404', async () => {
  const released = await build.createReleased();
  const [result] = getItems((await ask('GET', `/experiments/${released.code}/results?limit=1`)).body.items);
  const result_id = getText(result?.id);
  expectStatus(
    await ask('POST', `/experiments/${released.code}/messages`, {
      body: { text: 'Why so weak?', result_id },
    }),
    201,
  );
  const [message] = getItems((await ask('GET', `/experiments/${released.code}/messages`)).body.items);
  assert.deepEqual([message?.result_id, message?.sequence_name], [result_id, result?.sequence_name]);
  expectFailure(await answer({ text: 'x', result_id }), 404, 'result_not_found');
});

test('permission_denied: viewers, read-only tokens and clients at the door of the lab → 403; viewers read', async () => {
  const viewer = await issueToken({ role: 'viewer' });
  const own = await build.create();
  const address = `/experiments/${own.code}/messages`;
  expectStatus(await ask('GET', address, { token: viewer }), 200);
  expectFailure(await ask('POST', address, { token: viewer, body: { text: 'x' } }), 403, 'permission_denied');
  expectFailure(
    await ask('POST', `/lab${path}`, { token: client, body: { text: 'x' } }),
    403,
    'permission_denied',
  );
  expectFailure(await ask('GET', '/lab/messages', { token: client }), 403, 'permission_denied');
});

test('send_message: a blank text, one too long, an unknown member → refused with the field named', async () => {
  for (const body of [{ text: ' \n' }, { text: 'x'.repeat(5_001) }, { text: 'x', side: 'lab' }, {}])
    expectFailure(await send(body), 400, 'invalid_request');
  expectFailure(await ask('GET', `${path}?filter=eq(mood,good)`, { token: client }), 400, 'invalid_query');
  expectFailure(await ask('GET', '/lab/messages?filter=eq(mood,good)'), 400, 'invalid_query');
});

test('page of an experiment: the form sends a message → it stands there for the client and for the lab, with its markup as text', async () => {
  const own = await build.create();
  const browser = await openSignedIn(service);
  const text = 'Please <b>hurry</b>.';
  const page = await browser.open(`/experiments/${own.code}`);
  const sent = await browser.send(page, `/experiments/${own.code}/messages`, { text });
  assert.equal(sent.location, `/experiments/${own.code}#messages`);
  for (const address of [`/experiments/${own.code}`, `/lab/experiments/${own.code}`]) {
    const shown = await browser.open(address);
    assert.ok(shown.text.includes('Please &lt;b&gt;hurry&lt;/b&gt;.'), address);
  }
  const today = await browser.open('/lab');
  assert.match(today.text, new RegExp(`href="/lab/experiments/${own.code}#messages"><bdi>Please &lt;b&gt;`));
});

proveCoverage('messages');
