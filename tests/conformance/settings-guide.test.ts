/** Settings: the guide for operators tells of every one, and none that may hold a secret is shown. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { settingList } from '#settings/settings.ts';

const GUIDE = readFileSync(new URL('../../docs/guide/operating.md', import.meta.url), 'utf8');

test('settings: every variable that is read → a place in the guide for operators', () => {
  assert.ok(settingList.length > 40);
  const untold = settingList.filter(({ name }) => !GUIDE.includes(`\`${name}\``)).map(({ name }) => name);
  assert.deepEqual(untold, []);
});

test('settings: a whole number as default → told where the variable is', () => {
  const lines = GUIDE.split('\n');
  const untold = settingList.filter(({ name, fallback }) => {
    if (!/^\d{1,6}$/.test(fallback)) return false;
    const documenting = lines.filter((line) => line.includes(`\`${name}\``));
    return !documenting.some((line) => new RegExp(`(?<!\\d)${fallback}(?!\\d)`).test(line));
  });
  assert.deepEqual(
    untold.map(({ name, fallback }) => `${name} ${fallback}`),
    [],
  );
});

test('settings: a key, a token, a secret, or an address that may carry one → marked as secret', () => {
  const telling = /_(?:KEY|(?<!PER_)TOKEN|SECRET)$|^(?:DATABASE|SMTP|X402_RPC|X402_FACILITATOR)_URL$/;
  const marked = settingList.filter(({ isSecret }) => isSecret === true).map(({ name }) => name);
  const expected = settingList.filter(({ name }) => telling.test(name)).map(({ name }) => name);
  assert.deepEqual(marked.toSorted(), expected.toSorted());
  assert.ok(marked.includes('SMTP_URL') && marked.includes('OIDC_CLIENT_SECRET'));
});
