import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './settings.ts';
import { SettingsError } from './setting.ts';

const allowsLoopback = (variables: Parameters<typeof readSettings>[0]): boolean =>
  readSettings(variables).webhooks.policy.allowsLoopback;

test('WEBHOOK_LOOPBACK: not set → allowed only in a sandbox that listens on loopback and is reached directly', () => {
  assert.equal(allowsLoopback({}), true);
  assert.equal(allowsLoopback({ HOST: 'localhost' }), true);
  for (const variables of [
    { HOST: '0.0.0.0' },
    { BASE_URL: 'https://lab.example.org' },
    { TRUSTED_PROXIES: '127.0.0.1' },
    { ENVIRONMENT: 'live' },
  ])
    assert.equal(allowsLoopback(variables), false, JSON.stringify(variables));
});

test('WEBHOOK_LOOPBACK: yes → allowed in every sandbox, an error in a live environment', () => {
  const behindProxy = { WEBHOOK_LOOPBACK: 'yes', TRUSTED_PROXIES: '127.0.0.1' };
  assert.equal(allowsLoopback(behindProxy), true);
  assert.equal(allowsLoopback({ WEBHOOK_LOOPBACK: 'no' }), false);
  assert.throws(() => readSettings({ WEBHOOK_LOOPBACK: 'yes', ENVIRONMENT: 'live' }), SettingsError);
});
