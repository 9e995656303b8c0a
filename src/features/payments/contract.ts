/**
 * Operations with which a sandbox lets programs try machine payments.
 * This folder: attempts to pay, machine rails, and what stands at processors. Not here: invoices, postings.
 */
import { defineOperation } from '#core/operation.ts';
import { Currency } from '#core/fields.ts';
import { describe, OneOf, strict, Timestamp, Type } from '#core/schema.ts';

const AMOUNT_CENTS_MAX = 99_999_999;
const LIFE_S_MAX = 7 * 86_400;

export const mintPaymentToken = defineOperation({
  id: 'mint_payment_token',
  method: 'POST',
  path: '/sandbox/payment-tokens',
  tag: 'sandbox',
  summary: 'Mint a shared payment token of the sandbox, to try the rail mpp-spt',
  description:
    'The token pays one invoice of at most `max_amount_cents`. In a live environment tokens are minted by the payment processor.',
  effect: 'irrevocable',
  permission: 'invoice:pay',
  bodyMode: 'required',
  body: Type.Object(
    {
      max_amount_cents: Type.Integer({
        minimum: 1,
        maximum: AMOUNT_CENTS_MAX,
        description: 'US cents that it may be charged at most: the `amount_total` of the quote, or more',
      }),
      expires_in_s: Type.Optional(
        Type.Integer({ minimum: 1, maximum: LIFE_S_MAX, default: 3_600, description: 'seconds from now' }),
      ),
      behavior: Type.Optional(
        OneOf(['pays', 'declines'], { default: 'pays', description: 'outcome of charging it' }),
      ),
    },
    strict,
  ),
  success: 201,
  output: Type.Object({
    spt: Type.String({ description: 'the token' }),
    max_amount_cents: Type.Integer({ description: 'US cents that it may be charged at most' }),
    currency: Currency,
    behavior: OneOf(['pays', 'declines'], { description: 'outcome of charging it' }),
    network_id: Type.String({ description: 'seller to which it is granted' }),
    expires_at: describe(Timestamp, 'UTC time after which it is invalid'),
  }),
  failures: ['test_payment_unavailable'],
  example: {
    body: { max_amount_cents: 21200 },
    output: {
      spt: 'spt_test_4eC39HqLyjWDarjtT1zdp7dc000000000001',
      max_amount_cents: 21200,
      currency: 'usd',
      behavior: 'pays',
      network_id: 'profile_test_assayer',
      expires_at: '2026-01-20T10:10:00.000Z',
    },
  },
});
