import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fail, type FailureCode } from '#core/failures.ts';
import { waitForFirst } from './caller.ts';

/** Is refused so many times, then answers. */
function createAsk(refusals: number, code: FailureCode) {
  const calls = { times: 0 };
  const ask = async (): Promise<string> => {
    calls.times += 1;
    if (calls.times <= refusals) throw fail(code);
    return 'the answer of the first';
  };
  return { ask, asked: calls };
}

test('idempotency_in_flight: the first form is done meanwhile → the second shows its answer', async () => {
  assert.equal(await waitForFirst(createAsk(2, 'idempotency_in_flight').ask), 'the answer of the first');
});

test('idempotency_in_flight: the first form takes too long, or another failure → the page says so', async () => {
  const slow = createAsk(9, 'idempotency_in_flight');
  await assert.rejects(waitForFirst(slow.ask), { code: 'idempotency_in_flight' });
  assert.equal(slow.asked.times, 3);
  const refused = createAsk(1, 'webhook_not_found');
  await assert.rejects(waitForFirst(refused.ask), { code: 'webhook_not_found' });
  assert.equal(refused.asked.times, 1);
});
