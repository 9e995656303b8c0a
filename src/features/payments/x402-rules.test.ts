import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainUnfit, MAX_TIMEOUT_S, type Authorization, type Requirements } from './x402-rules.ts';

const NOW_S = 1_795_000_000;
const PAY_TO = `0x${'a1'.repeat(20)}`;
const terms: Requirements = {
  scheme: 'exact',
  network: 'eip155:84532',
  amount: '99000000',
  payTo: PAY_TO,
  asset: `0x${'b2'.repeat(20)}`,
  maxTimeoutSeconds: MAX_TIMEOUT_S,
  extra: { name: 'USDC', version: '2', assetTransferMethod: 'eip3009' },
};
const fit: Authorization = {
  from: `0x${'c3'.repeat(20)}`,
  to: PAY_TO.toUpperCase().replace('0X', '0x'),
  value: terms.amount,
  validAfter: '0',
  validBefore: String(NOW_S + MAX_TIMEOUT_S),
  nonce: `0x${'d4'.repeat(32)}`,
};
const explain = (changed: Partial<Authorization>) => explainUnfit(terms, { ...fit, ...changed }, NOW_S);

test('payment_refused: an amount is off by one unit, or is not written in digits → the sentence says which', () => {
  assert.equal(explain({}), undefined);
  for (const value of ['98999999', '99000001', '0'])
    assert.equal(explain({ value }), `it pays ${value} base units instead of 99000000`);
  for (const value of ['0x5e69ec0', '9.9e7', '099000000', ' 99000000', '99000000.0', '-1', ''])
    assert.equal(explain({ value }), 'its value must be decimal digits, such as 99000000');
});

test('payment_refused: the validity is off by one second → refused, and the last second is accepted', () => {
  assert.equal(explain({ validBefore: String(NOW_S) }), 'it has expired');
  assert.equal(explain({ validBefore: String(NOW_S + 1) }), undefined);
  assert.equal(explain({ validAfter: String(NOW_S) }), undefined);
  assert.equal(explain({ validAfter: String(NOW_S + 1) }), 'it is not valid yet');
  // A minute for the clock of the client.
  assert.equal(explain({ validBefore: String(NOW_S + MAX_TIMEOUT_S + 60) }), undefined);
  const tooLong = explain({ validBefore: String(NOW_S + MAX_TIMEOUT_S + 61) });
  assert.equal(tooLong, 'it is valid for more than 300 seconds from now');
  for (const validBefore of ['', '-1', '1e9', '1'.repeat(16)])
    assert.match(explain({ validBefore }) ?? '', /whole seconds since the epoch/);
});
