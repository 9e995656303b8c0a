/** The fake itself: it refuses what the SDK's types refuse, and keeps idempotency keys as Stripe does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeStripe, SECRET_KEY, type FakeStripe } from '#testing/stripe/server.ts';
import { toRecord } from '#testing/stripe/values.ts';

const fake: FakeStripe = await fakeStripe();

async function post(path: string, form: string, key?: string) {
  const response = await fetch(`${fake.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${SECRET_KEY}`,
      'content-type': 'application/x-www-form-urlencoded',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: form,
  });
  const body = toRecord(await response.json());
  return { status: response.status, body, replayed: response.headers.get('idempotent-replayed') };
}

test('fake Stripe: a request that the SDK’s types do not allow → 400', async () => {
  const { body } = await post('/v1/customers', 'name=A');
  const customer = String(body.id);
  const wrong = [
    ['/v1/customers', 'name=A&color=red', 'unknown field'],
    ['/v1/customers', 'metadata=text', 'text for an object'],
    ['/v1/invoices', `customer=${customer}&due_date=soon`, 'text for a number'],
    ['/v1/invoices', `customer=${customer}&auto_advance=perhaps`, 'text for a boolean'],
    ['/v1/invoices', `customer=${customer}&custom_fields[0][name]=A`, 'nested field missing'],
    [
      '/v1/invoices',
      `customer=${customer}&custom_fields[0][name]=A&custom_fields[0][value]=B&custom_fields[0][x]=1`,
      'nested unknown',
    ],
    ['/v1/payment_intents', 'currency=usd', 'amount missing'],
    ['/v1/payment_intents', 'amount=1&currency=usd&spt=spt_1', 'a token in another place'],
  ] as const;
  for (const [path, form, what] of wrong) {
    const refused = await post(path, form);
    assert.equal(refused.status, 400, what);
    assert.equal(toRecord(refused.body.error).type, 'invalid_request_error', what);
  }
  assert.equal((await post('/v1/nothing', '')).status, 404);
});

test('fake Stripe: an idempotency key is repeated → its first answer; with other parameters → 400', async () => {
  const first = await post('/v1/customers', 'name=A', 'key-1');
  const again = await post('/v1/customers', 'name=A', 'key-1');
  assert.deepEqual(again.body, first.body);
  assert.equal(again.replayed, 'true');
  const other = await post('/v1/customers', 'name=B', 'key-1');
  assert.equal(other.status, 400);
  assert.equal(toRecord(other.body.error).type, 'idempotency_error');
  fake.plan = () => 'unclear';
  assert.equal((await post('/v1/customers', 'name=C', 'key-2')).status, 500);
  fake.plan = () => undefined;
  assert.equal((await post('/v1/customers', 'name=C', 'key-2')).status, 500, 'a 500 is kept as well');
});

test('fake Stripe: a payment token → pays once, within its limits', async () => {
  const token = fake.mint({ maxAmount: 500 });
  const charge = (amount: number) =>
    post(
      '/v1/payment_intents',
      `amount=${amount}&currency=usd&confirm=true&shared_payment_granted_token=${token}`,
    );
  assert.equal((await charge(501)).status, 400);
  assert.equal((await charge(500)).body.status, 'succeeded');
  assert.equal((await charge(500)).status, 400);
  assert.equal(fake.state.sumCollectedCents(), 500);
});
