/** What an attempt at a processor holds back others for, and how long it may take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt, ask } from '#adapters/processors/stripe/client.ts';
import { ProcessorUnclearError } from '#features/payments/processor.ts';
import {
  PROCESSOR_ATTEMPT_MS,
  PROCESSOR_CLAIM_MS,
  PROCESSOR_REQUEST_MS_MAX,
} from '#features/payments/rules.ts';
import { STRIPE_TIMEOUT_MS_MAX } from '#settings/stripe-settings.ts';
import { readSettings } from '#settings/settings.ts';
import { VirtualClock } from '#testing/virtual-clock.ts';

const isText = (reply: unknown): reply is string => typeof reply === 'string';

test('processor_claim: the last request begins as late as it may and takes all its time → it has ended before another attempt', () => {
  assert.ok(STRIPE_TIMEOUT_MS_MAX <= PROCESSOR_REQUEST_MS_MAX);
  assert.ok(PROCESSOR_ATTEMPT_MS + STRIPE_TIMEOUT_MS_MAX < PROCESSOR_CLAIM_MS);
});

test('settings: a time limit of a request that a claim would not outlast → is refused', () => {
  const keys = { STRIPE_SECRET_KEY: 'sk_test_12345678', STRIPE_WEBHOOK_SECRET: 'whsec_12345678' };
  const longest = readSettings({ ...keys, STRIPE_TIMEOUT_MS: String(STRIPE_TIMEOUT_MS_MAX) });
  assert.equal(longest.stripe?.timeoutMs, STRIPE_TIMEOUT_MS_MAX);
  const longer = { ...keys, STRIPE_TIMEOUT_MS: String(STRIPE_TIMEOUT_MS_MAX + 1) };
  assert.throws(() => readSettings(longer), /STRIPE_TIMEOUT_MS/);
});

test('processor_claim: the time limit of an attempt passes → its next request is not sent, and other attempts continue', async () => {
  const clock = new VirtualClock(new Date('2026-03-02T09:00:00.000Z'));
  const sent: string[] = [];
  const request = (name: string): Promise<string> =>
    ask(name, isText, () => {
      sent.push(name);
      return Promise.resolve(name);
    });
  await attempt(clock, PROCESSOR_ATTEMPT_MS, async () => {
    await request('first');
    clock.advance(PROCESSOR_ATTEMPT_MS);
    await request('just in time');
    clock.advance(1);
    await assert.rejects(request('too late'), ProcessorUnclearError);
    await attempt(clock, PROCESSOR_ATTEMPT_MS, () => request('of another'));
  });
  await request('of none');
  assert.deepEqual(sent, ['first', 'just in time', 'of another', 'of none']);
});
