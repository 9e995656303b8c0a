import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const build = await createBuilders(service);

const list = async (query: string) =>
  getItems(expectStatus(await ask('GET', `/lab/messages?${query}`), 200).body.items);

test('send_lab_message: an answer to each of two clients → the list of the lab has both with their organizations', async () => {
  const first = await build.create();
  const token = await issueToken({ role: 'member', ownOrganization: true });
  const made = await ask('POST', '/experiments', { token, body: build.createBody() });
  const second = getText(expectStatus(made, 201).body.experiment_code);
  for (const code of [first.code, second])
    expectStatus(
      await ask('POST', `/lab/experiments/${code}/messages`, { body: { text: `About ${code}.` } }),
      201,
    );
  const items = await list('sort=created_at');
  assert.deepEqual(
    items.map(({ experiment_code: code, text }) => [code, text]),
    [first.code, second].map((code) => [code, `About ${code}.`]),
  );
  assert.equal(new Set(items.map(({ organization_name: name }) => name)).size, 2);
  assert.equal((await list(`search=${encodeURIComponent(`About ${second}`)}`)).length, 1);
});

test('send_lab_message: an unknown experiment, a result that is not released, a blank text, a client → refused', async () => {
  const { code } = await build.create();
  const path = `/lab/experiments/${code}/messages`;
  const send = (body: object, address = path) => ask('POST', address, { body });
  const unknown = `/lab/experiments/${UNKNOWN_ID}/messages`;
  expectFailure(await send({ text: 'x' }, unknown), 404, 'experiment_not_found');
  expectFailure(await send({ text: 'x', result_id: UNKNOWN_ID }), 404, 'result_not_found');
  expectFailure(await send({ text: ' ' }), 400, 'invalid_request');
  const token = await issueToken({ role: 'admin', ownOrganization: true });
  expectFailure(await ask('POST', path, { token, body: { text: 'x' } }), 403, 'permission_denied');
  expectFailure(await ask('GET', '/lab/messages', { token }), 403, 'permission_denied');
  expectFailure(await ask('GET', '/lab/messages?filter=eq(mood,good)'), 400, 'invalid_query');
});

proveCoverage('lab-messages');
