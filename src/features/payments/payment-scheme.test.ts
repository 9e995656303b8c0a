import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Challenge, Credential } from 'mppx';
import {
  answersChallenge,
  formatChallengeHeader,
  isPaymentCredential,
  buildPaymentChallenge,
  readCredential,
  type PaymentChallenge,
} from './payment-scheme.ts';

const INVOICE = '01980000-0000-7000-8000-0000000000c1';

const challenge = buildPaymentChallenge({
  id: 'sBk3l8xkTzC9s0m1v2w3xQ',
  realm: 'lab.example.org',
  invoiceId: INVOICE,
  amountCents: 125_000,
  currency: 'usd',
  description: 'Invoice "INV-1" für \\ €',
  networkId: 'profile_1',
  paymentMethodTypes: ['card'],
  expiresAt: new Date('2026-11-20T15:38:17.490Z'),
});

const encodeCredential = (value: unknown): string =>
  `Payment ${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
const { description: _, ...echo } = challenge;
const good = { challenge: echo, payload: { spt: 'spt_1', externalId: INVOICE } };

test('payment challenge: an independent client reads it and answers → the credential matches', () => {
  const response = new Response(null, {
    status: 402,
    headers: { 'www-authenticate': formatChallengeHeader(challenge) },
  });
  const seen = Challenge.fromResponse(response);
  assert.deepEqual(seen.request, {
    amount: '125000',
    currency: 'usd',
    description: 'Invoice ?INV-1? f?r ? ?',
    externalId: INVOICE,
    methodDetails: { networkId: 'profile_1', paymentMethodTypes: ['card'] },
  });
  const header = Credential.serialize({ challenge: seen, payload: good.payload });
  const credential = readCredential(header);
  assert.ok(credential !== undefined && answersChallenge(credential, challenge));
  assert.equal(credential.token, 'spt_1');
  assert.equal(credential.externalId, INVOICE);
});

test('payment challenge: any of the six fields differs by one letter → another challenge', () => {
  for (const field of ['id', 'realm', 'method', 'intent', 'request', 'expires'] as const) {
    const changed: PaymentChallenge = { ...challenge, [field]: `${challenge[field]}x` };
    const credential = readCredential(encodeCredential(good));
    assert.ok(credential !== undefined);
    assert.equal(answersChallenge(credential, changed), false, field);
  }
});

test('payment credential: unreadable text → undefined, not an error', () => {
  const unreadable = [
    'Payment',
    'Payment ',
    'Payment %%%',
    `Payment ${'A'.repeat(20_000)}`,
    'Payment bm90IGpzb24',
    encodeCredential([]),
    encodeCredential({}),
    encodeCredential({ ...good, challenge: { ...echo, id: 1 } }),
    encodeCredential({ ...good, challenge: [] }),
    encodeCredential({ ...good, payload: { spt: '', externalId: INVOICE } }),
    encodeCredential({ ...good, payload: { spt: 'spt_\u0000', externalId: INVOICE } }),
    encodeCredential({ ...good, payload: { spt: 'spt_1' } }),
    encodeCredential({ ...good, payload: { spt: 's'.repeat(501), externalId: INVOICE } }),
  ];
  for (const header of unreadable) {
    assert.equal(isPaymentCredential(header), true, header.slice(0, 40));
    assert.equal(readCredential(header), undefined, header.slice(0, 40));
  }
  assert.equal(isPaymentCredential('Bearer abc'), false);
  assert.equal(isPaymentCredential('Payments abc'), false);
  assert.equal(isPaymentCredential(undefined), false);
});

test('payment credential: unknown fields in the echo → ignored', () => {
  const more = {
    challenge: { ...echo, description: 'other', digest: 'x', opaque: 'y' },
    payload: good.payload,
    source: 'z',
  };
  assert.deepEqual(readCredential(encodeCredential(more)), readCredential(encodeCredential(good)));
});
