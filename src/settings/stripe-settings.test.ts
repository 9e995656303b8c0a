import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './settings.ts';
import { SettingsError } from './setting.ts';

const KEYS = { STRIPE_SECRET_KEY: 'sk_test_12345678', STRIPE_WEBHOOK_SECRET: 'whsec_12345678' };

test('Stripe settings: no keys → the built-in processor; both keys → Stripe', () => {
  assert.equal(readSettings({}).stripe, null);
  const { stripe } = readSettings({ ...KEYS, STRIPE_NETWORK_ID: 'profile_1' });
  assert.deepEqual(stripe, {
    secretKey: KEYS.STRIPE_SECRET_KEY,
    webhookSecret: KEYS.STRIPE_WEBHOOK_SECRET,
    apiBase: null,
    timeoutMs: 10_000,
    networkId: 'profile_1',
  });
});

test('Stripe settings: half of them, a publishable key or an invalid profile → the start is refused', () => {
  const wrong = [
    { STRIPE_SECRET_KEY: KEYS.STRIPE_SECRET_KEY },
    { STRIPE_WEBHOOK_SECRET: KEYS.STRIPE_WEBHOOK_SECRET },
    { STRIPE_NETWORK_ID: 'profile_1' },
    { ...KEYS, STRIPE_SECRET_KEY: 'pk_live_12345678' },
    { ...KEYS, STRIPE_WEBHOOK_SECRET: 'sk_test_12345678' },
    { ...KEYS, STRIPE_NETWORK_ID: 'acct_1' },
    { ...KEYS, STRIPE_TIMEOUT_MS: '60000' },
  ];
  for (const variables of wrong) assert.throws(() => readSettings(variables), SettingsError);
});

test('STRIPE_API_BASE: plain http to another machine → refused, and no sentence repeats the key', () => {
  for (const base of ['http://stripe.example', 'ftp://127.0.0.1', 'stripe', 'http://127.0.0.1.example'])
    assert.throws(() => readSettings({ ...KEYS, STRIPE_API_BASE: base }), /STRIPE_API_BASE/, base);
  for (const base of [
    'https://stripe.example',
    'http://127.0.0.1:4000',
    'http://localhost:4000',
    'http://[::1]:1',
  ])
    assert.equal(readSettings({ ...KEYS, STRIPE_API_BASE: base }).stripe?.apiBase, base);
  assert.throws(
    () => readSettings({ STRIPE_SECRET_KEY: 'secret in the wrong place' }),
    (error) => error instanceof SettingsError && !error.message.includes('wrong place'),
  );
});
