/** What waits for its review is asked for at every door of a client, and each answers as if it did not exist. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staffPermissions } from '#core/permissions.ts';
import { createBuilders, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { guarded } from '#testing/binding-kinds.ts';
import { createUnknownRequest, send } from '#testing/requests.ts';
import { getItems, getText, testService, type TestAnswer } from '#testing/service.ts';
import { callTool } from '#testing/tool-call.ts';

const service = await testService();
const { ask, token } = service;
const build = await createBuilders(service);
const order = await build.createReviewed();
const waiting = getItems(
  expectStatus(await ask('GET', `/lab/experiments/${order.id}/results`), 200).body.items,
);
const [hidden] = waiting.map(({ id }) => getText(id));
/** An administrator of the organization of the order, who is not of the staff. */
const client = await service.issueToken({ role: 'admin' });

const ofClients = guarded
  .map(({ operation }) => operation)
  .filter(
    ({ method, permission }) =>
      method === 'GET' &&
      (permission === 'any' || permission === 'public' || !staffPermissions.has(permission)),
  );
const ofResult = ofClients.filter(({ path }) => path.includes('{result_id}'));
const ofOrder = ofClients.filter(({ path }) => path.includes('{experiment_id}'));
const lists = ofClients.filter(({ path, media }) => !path.includes('{') && media === undefined);

/** An answer without what is new in every answer. */
function anonymize({ status, headers, text }: TestAnswer, id: string): string {
  const { 'x-request-id': request = '', date: _date, ...others } = headers;
  return JSON.stringify([status, others, text.replaceAll(request, 'req').replaceAll(id, 'id')]);
}

test('unreleased: every client operation about a result → a result in review answers like an unknown one, by REST and as a tool', async () => {
  assert.ok(hidden !== undefined && ofResult.length >= 3, `${ofResult.length} operations`);
  for (const operation of ofResult) {
    const path = (id: string): string => operation.path.replace('{result_id}', id);
    const there = await send(ask, operation, { path: path(hidden) }, { token: client });
    const nowhere = await send(ask, operation, { path: path(UNKNOWN_ID) }, { token: client });
    assert.equal(expectStatus(there, 404).status, nowhere.status);
    assert.equal(anonymize(there, hidden), anonymize(nowhere, UNKNOWN_ID), operation.id);
  }
  const asked = (id: string) =>
    callTool(
      { ask: (method, path, options) => ask(method, path, { token: client, ...options }) },
      'get_result_info',
      {
        result_id: id,
      },
    );
  const mask = (answer: unknown, id: string): string =>
    JSON.stringify(answer)
      .replaceAll(id, 'id')
      .replaceAll(/req_[\w-]+/g, 'req');
  assert.equal(mask(await asked(hidden), hidden), mask(await asked(UNKNOWN_ID), UNKNOWN_ID));
});

test('unreleased: every client operation about the order, and every list → names no result in review; the staff reads it', async () => {
  const names = waiting.map(({ id }) => getText(id));
  assert.ok(ofOrder.length > 5 && lists.length > 5, `${ofOrder.length} and ${lists.length} operations`);
  for (const operation of ofOrder) {
    const { path } = createUnknownRequest(operation);
    const answer = await send(
      ask,
      operation,
      { path: path.replaceAll(UNKNOWN_ID, order.id) },
      { token: client },
    );
    for (const name of names) assert.ok(!answer.text.includes(name), operation.id);
  }
  for (const operation of lists) {
    const answer = await send(ask, operation, { path: operation.path }, { token: client });
    for (const name of names) assert.ok(!answer.text.includes(name), operation.id);
  }
  const staff = await ask('GET', `/lab/experiments/${order.id}/results`, { token });
  for (const name of names) assert.ok(staff.text.includes(name));
});
