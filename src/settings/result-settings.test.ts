import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './settings.ts';
import { SettingsError } from './setting.ts';

const ALIAS = { PROVIDER_FIELD_ALIAS: 'acme' };

test('RESULT_SUMMARY: nothing is said → all, or published with an alias; what is said wins', () => {
  assert.equal(readSettings({}).resultSummary, 'all');
  assert.equal(readSettings(ALIAS).resultSummary, 'published');
  assert.equal(readSettings({ ...ALIAS, RESULT_SUMMARY: 'all' }).resultSummary, 'all');
  assert.equal(readSettings({ RESULT_SUMMARY: 'published' }).resultSummary, 'published');
});

test('RESULT_SUMMARY: another word → the start is refused, and the sentence names both words', () => {
  assert.throws(
    () => readSettings({ RESULT_SUMMARY: 'some' }),
    (error) => error instanceof SettingsError && /one of all, published/.test(error.message),
  );
});
