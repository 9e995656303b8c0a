/** Servers that take a request and never answer: the fake lets the limit pass at once, here it is waited for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Stripe from 'stripe';
import { createStripe } from '#adapters/processors/stripe/client.ts';
import { startLocalDoor } from '#testing/local-door.ts';
import { fakeStripe, SECRET_KEY, WEBHOOK_SECRET } from '#testing/stripe/server.ts';

const ask = (apiBase: string, timeoutMs: number) =>
  createStripe({ secretKey: SECRET_KEY, webhookSecret: WEBHOOK_SECRET, apiBase, timeoutMs }).customers.list();

const isTimeout = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeConnectionError && /timed out|too long|timeout/i.test(error.message);

test(
  'STRIPE_TIMEOUT_MS: Stripe never answers → the request ends after this time',
  { timeout: 60_000 },
  async () => {
    const url = await startLocalDoor(() => new Promise(() => undefined));
    const begun = performance.now();
    await assert.rejects(ask(url, 200), isTimeout);
    assert.ok(performance.now() - begun >= 190);
  },
);

test(
  'fake Stripe: it hangs or is silent → the same error, before the time has passed',
  { timeout: 60_000 },
  async () => {
    const fake = await fakeStripe();
    for (const fault of ['hang', 'silent'] as const) {
      fake.plan = () => fault;
      await assert.rejects(ask(fake.url, 600_000), isTimeout);
    }
  },
);
