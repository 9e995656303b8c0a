import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFailure, expectStatus } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getText } from '#testing/service.ts';

const { ask, clock } = await createRecordedService();
const live = await createRecordedService({ ENVIRONMENT: 'live' });

const mint = (body: unknown) => ask('POST', '/sandbox/payment-tokens', { body });

test('mint_payment_token: called twice → two test tokens, each with its limits', async () => {
  const minted = expectStatus(await mint({ max_amount_cents: 21_200, expires_in_s: 60 }), 201);
  assert.match(getText(minted.body.spt), /^spt_test_\w{20,}$/);
  assert.equal(minted.body.max_amount_cents, 21_200);
  assert.equal(minted.body.currency, 'usd');
  assert.equal(Date.parse(getText(minted.body.expires_at)), clock.now().getTime() + 60_000);
  const other = expectStatus(await mint({ max_amount_cents: 1, behaviour: 'declines' }), 201);
  assert.notEqual(other.body.spt, minted.body.spt);
});

test('invalid_request: amount, lifetime or behavior of a payment token out of range → 400', async () => {
  const wrong = [
    {},
    { max_amount_cents: 0 },
    { max_amount_cents: 1.5 },
    { max_amount_cents: 100_000_000 },
    { max_amount_cents: 1, expires_in_s: 0 },
    { max_amount_cents: 1, behaviour: 'wins' },
    { max_amount_cents: 1, color: 'red' },
  ];
  for (const body of wrong) expectFailure(await mint(body), 400, 'invalid_request');
});

test('test_payment_unavailable: a live environment mints a payment token → 403', async () => {
  const refused = await live.ask('POST', '/sandbox/payment-tokens', { body: { max_amount_cents: 1 } });
  expectFailure(refused, 403, 'test_payment_unavailable');
});

proveCoverage('sandbox');
