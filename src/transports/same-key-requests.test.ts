import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SameKeyRequests } from './same-key-requests.ts';

const failure = new Error('the request failed');
const fail = (): Promise<string> => Promise.reject(failure);

test('idempotency key: a request fails while another of its key runs → the answer of the other', async () => {
  const requests = new SameKeyRequests();
  const stored: string[] = [];
  const other = Promise.withResolvers<string>();
  const findAnswer = async (): Promise<string | undefined> => stored[0];
  const first = requests.run('a', () => other.promise, findAnswer);
  const second = requests.run('a', fail, findAnswer);
  stored.push('done');
  other.resolve('done');
  assert.deepEqual(await Promise.all([first, second]), ['done', 'done']);
});

test('idempotency key: a request fails after another succeeded, while a third runs → the stored answer', async () => {
  const requests = new SameKeyRequests();
  const third = Promise.withResolvers<string>();
  const findStored = async (): Promise<string> => 'stored';
  const running = requests.run('a', () => third.promise, findStored);
  assert.equal(await requests.run('a', async () => 'done', findStored), 'done');
  assert.equal(await requests.run('a', fail, findStored), 'stored');
  third.resolve('late');
  assert.equal(await running, 'late');
});

test('idempotency key: one request, or all of a key, fail → each fails with its own reason', async () => {
  const requests = new SameKeyRequests();
  let lookups = 0;
  const findNothing = async (): Promise<string | undefined> => void lookups++;
  await assert.rejects(requests.run('a', fail, findNothing), failure);
  assert.equal(lookups, 0, 'nobody else could have stored an answer');
  const both = [requests.run('a', fail, findNothing), requests.run('a', fail, findNothing)];
  const otherKey = requests.run('b', async () => 'done', findNothing);
  for (const settled of await Promise.allSettled(both))
    assert.equal(settled.status === 'rejected' && settled.reason, failure);
  assert.equal(await otherKey, 'done');
});
