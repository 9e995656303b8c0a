import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { expectFailure, expectStatus, listProblemPaths } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText, type Ask } from '#testing/service.ts';

const { ask, clock, issueToken, token: staffToken } = await createRecordedService();

const submitBare = (fields: object, options: Ask = {}) =>
  ask('POST', '/feedback/submit', {
    ...options,
    body: { feedback_type: 'feedback', request_uuid: randomUUID(), ...fields },
  });
const submit = (fields: object = {}, options: Ask = {}) => submitBare({ title: 'Good', ...fields }, options);
const listFeedback = async (query: string) =>
  getItems(expectStatus(await ask('GET', `/lab/feedback${query}`), 200).body.items);

test('submit_feedback: all fields → staff read what was sent and who sent it', async () => {
  const token = await issueToken({ role: 'member', ownOrganization: true });
  const { body: me } = await ask('GET', '/whoami', { token });
  const sent = {
    feedback_type: 'bug_report',
    request_uuid: randomUUID(),
    title: 'No axis',
    human_note: 'On the third plot.\nSeen twice.',
    json_body: { result: { n: 3 }, tags: ['plot'] },
  };
  const answer = expectStatus(await submit(sent, { token }), 201);
  assert.match(getText(answer.body.reference), /^FB-[0-9A-F]{10}$/);
  const [item, ...others] = await listFeedback(`?filter=eq(reference,${getText(answer.body.reference)})`);
  assert.equal(others.length, 0);
  assert.deepEqual({ ...item, ...sent }, item);
  assert.equal(item?.organization_id, me.active_organization_id);
  assert.match(getText(item?.user_email), /@example\.org$/);
  assert.equal(item?.created_at, clock.now().toISOString());
});

test('submit_feedback: two feedbacks about one request → two references, and both are kept', async () => {
  for (const request_uuid of [randomUUID(), `req_${randomUUID()}`, 'req_7Hq-2_x']) {
    const first = expectStatus(await submit({ request_uuid, title: 'first' }), 201);
    const second = expectStatus(await submit({ request_uuid, title: 'second' }), 201);
    assert.notEqual(second.body.reference, first.body.reference);
    for (const [answer, title] of [
      [first, 'first'],
      [second, 'second'],
    ] as const) {
      const [item] = await listFeedback(`?filter=eq(reference,${getText(answer.body.reference)})`);
      assert.deepEqual([item?.title, item?.request_uuid], [title, request_uuid]);
    }
  }
});

test('submit_feedback: an equal body is sent again, with other case, order and nulls → the same reference', async () => {
  const request_uuid = randomUUID();
  const sent = { request_uuid, title: 'first', json_body: { a: 1, b: [2] } };
  const first = expectStatus(await submit(sent), 201);
  const again = expectStatus(
    await submit({
      json_body: { b: [2], a: 1 },
      human_note: null,
      title: 'first',
      request_uuid: request_uuid.toUpperCase(),
    }),
    201,
  );
  assert.deepEqual(again.body, first.body);
  assert.equal((await listFeedback(`?filter=eq(reference,${getText(first.body.reference)})`)).length, 1);
});

test('submit_feedback: eight equal bodies at once → one reference', async () => {
  const request_uuid = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => submit({ request_uuid, human_note: 'The same.' })),
  );
  const references = answers.map((answer) => getText(expectStatus(answer, 201).body.reference));
  assert.equal(new Set(references).size, 1);
});

test('submit_feedback: no title, note or data, or empty ones → 400; one of them → 201', async () => {
  for (const fields of [
    {},
    { title: ' ', human_note: '', json_body: {} },
    { title: null, json_body: null },
  ]) {
    const refused = expectFailure(await submitBare(fields), 400, 'invalid_request');
    assert.deepEqual(listProblemPaths(refused), ['human_note']);
  }
  for (const fields of [{ title: 'x' }, { human_note: 'x' }, { json_body: { a: null } }])
    expectStatus(await submitBare(fields), 201);
});

test('submit_feedback: another organization sends an equal body → another reference', async () => {
  const request_uuid = randomUUID();
  const token = await issueToken({ ownOrganization: true });
  const ours = await submit({ request_uuid });
  const theirs = expectStatus(await submit({ request_uuid }, { token }), 201);
  assert.notEqual(theirs.body.reference, ours.body.reference);
});

test('invalid_request: a malformed field of feedback → 400 names it', async () => {
  const wrong: readonly (readonly [path: string, fields: object])[] = [
    ['feedback_type', { feedback_type: 'praise' }],
    ['request_uuid', { request_uuid: 'one' }],
    ['request_uuid', { request_uuid: 'req_' }],
    ['request_uuid', { request_uuid: 'req_a b' }],
    ['request_uuid', { request_uuid: undefined }],
    ['title', { title: 'x'.repeat(201) }],
    ['human_note', { human_note: 'x'.repeat(20_001) }],
    ['json_body', { json_body: ['a'] }],
    ['json_body', { json_body: { text: 'x'.repeat(64 * 1024) } }],
    ['note', { note: 'x' }],
  ];
  for (const [path, fields] of wrong)
    assert.deepEqual(listProblemPaths(expectFailure(await submit(fields), 400, 'invalid_request')), [path]);
});

test('list_feedback: staff sort, filter and search → the matching feedback; others → 403', async () => {
  const marker = `marker-${randomUUID()}`;
  for (const feedback_type of ['feature_request', 'bug_report']) {
    clock.advance(1_000);
    await submit({ feedback_type, title: `${marker} ${feedback_type}` });
  }
  const types = async (query: string) =>
    (await listFeedback(query)).map((item) => getText(item.feedback_type));
  assert.deepEqual(await types(`?search=${marker}`), ['bug_report', 'feature_request']);
  assert.deepEqual(await types(`?search=${marker}&sort=asc(created_at)&limit=1`), ['feature_request']);
  assert.deepEqual(await types(`?search=${marker}&filter=eq(feedback_type,bug_report)`), ['bug_report']);
  assert.equal((await ask('GET', '/lab/feedback?limit=1', { token: staffToken })).status, 200);
  const client = await issueToken({ role: 'admin' });
  expectFailure(await ask('GET', '/lab/feedback', { token: client }), 403, 'permission_denied');
});

test('invalid_query: feedback is filtered by an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/lab/feedback?filter=eq(color,red)'), 400, 'invalid_query');
});

proveCoverage('feedback');
