import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSafeAddress } from './addresses.ts';

test('safeAddress: https, or the stand-in of the settings → kept; anything else → null', () => {
  const base = 'http://127.0.0.1:4000';
  for (const fine of ['https://pay.stripe.com/invoice/acct_1/live_x/pdf?s=ap', 'https://bills.example/a'])
    assert.equal(toSafeAddress(fine, null), fine);
  assert.equal(toSafeAddress(`${base}/i/in_1/pdf`, base), `${base}/i/in_1/pdf`);
  for (const unfit of [
    null,
    undefined,
    '',
    'pdf',
    '//pay.stripe.com/x',
    'http://pay.stripe.com/x',
    `${base}/i/in_1/pdf`,
    'http://127.0.0.1:4001/x',
    'javascript:alert(1)',
    'data:application/pdf,x',
    'https://user@pay.stripe.com/x',
    'https://user:word@pay.stripe.com/x',
    'https://pay.stripe.com/x\r\nset-cookie: a=b',
    'https://pay.stripe.com/\u202e',
    `https://pay.stripe.com/${'a'.repeat(3_000)}`,
  ])
    assert.equal(toSafeAddress(unfit, null), null, String(unfit).slice(0, 60));
  assert.equal(toSafeAddress('http://127.0.0.1:4001/x', base), null);
});
