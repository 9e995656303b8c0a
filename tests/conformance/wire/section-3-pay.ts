import type { WireRule } from './rules.ts';

const JOURNEY = 'tests/payments/x402-journey.test.ts';
const HAZARDS = 'tests/payments/x402-hazards.test.ts';
const TOKENS = 'tests/payments/mpp-sandbox.test.ts';
const RAIL = 'tests/payments/machine-rail.test.ts';
const INVOICES = 'tests/operations/invoices.test.ts';
const CLIENTS = 'tests/journeys/reference-clients.test.ts';

export const section3Pay: readonly WireRule[] = [
  {
    rule: 'The body of a 402 has `x402Version: 1` and `accepts[]` with the names of that version, beside the unchanged header of version 2.',
    test: {
      file: JOURNEY,
      title:
        'x402 version 1: a 402 → its body has x402Version 1 and accepts, and the header of version 2 stays',
    },
  },
  {
    rule: '`X-PAYMENT` is accepted and answered with `X-PAYMENT-RESPONSE`; a wrong one gets the terms again.',
    test: {
      file: JOURNEY,
      title:
        'x402 version 1: X-PAYMENT of another network, amount or recipient → 402 with the terms; a right one → X-PAYMENT-RESPONSE',
    },
  },
  {
    rule: 'An unmodified client of x402 version 1 pays.',
    test: {
      file: CLIENTS,
      title:
        'x402-axios, version 1 of x402: with a token that a person made → orders, pays by X-PAYMENT and reads its receipt',
    },
  },
  {
    rule: 'One authorization pays once, whichever version or transport carries it.',
    test: {
      file: JOURNEY,
      title:
        'one signature: a tool, both headers of HTTP and its version 1 form → one transfer, and the others find it',
    },
  },
  {
    rule: '`/pay` without a method header takes the rail of the experiment.',
    test: { file: INVOICES, title: 'pay_invoice: no method header → the rail of the experiment' },
  },
  {
    rule: 'A method header that contradicts the rail of the experiment is a 409.',
    test: { file: INVOICES, title: 'method_rail_mismatch: another rail than that of the creation → 409' },
  },
  {
    rule: 'On the hosted rail `/pay` answers 200 with the current state of the invoice and its hosted address.',
    test: {
      file: INVOICES,
      title: 'pay_invoice: the hosted rail, before and after payment → where to pay, then that it is paid',
    },
  },
  {
    rule: 'A paid invoice answers 200 with `already_paid: true`, whatever credential comes.',
    test: {
      file: RAIL,
      title: 'already_paid: a paid invoice gets any credential → 200, and the rail is not asked again',
    },
  },
  {
    rule: 'Every 402 of one invoice carries the same challenge.',
    test: {
      file: INVOICES,
      title:
        'payment_required, payment_not_settled, payment_in_progress, payment_refused: any 402 → carries the same challenge',
    },
  },
  {
    rule: 'An authorization that is valid for longer than `maxTimeoutSeconds`, expired or not yet valid is refused.',
    test: {
      file: HAZARDS,
      title:
        'X1 authorization lifetime: longer than the challenge allows, expired or not yet valid → refused',
    },
  },
  {
    rule: 'A verdict of not yet settled repeats the 402, and the same signature pays later, once.',
    test: {
      file: HAZARDS,
      title:
        'X10 facilitator fault: down, hanging, broken or answer lost → payment_not_settled, and a repeat pays once',
    },
  },
  {
    rule: 'The success of x402-exact has `settlement_reference` of the type `x402_transaction` with its hash.',
    test: {
      file: JOURNEY,
      title: '@x402/fetch: it pays an invoice → receipt, Transfer event, invoice and ledger agree',
    },
  },
  {
    rule: 'The challenge of mpp-spt asks for the cents of the invoice, with the invoice as `externalId`, for five minutes.',
    test: {
      file: TOKENS,
      title: 'mpp-spt: an order is paid by token → one charge over the cents of the invoice',
    },
  },
  {
    rule: 'The credential of mpp-spt is in `Authorization`, and the API token then in `X-Service-Api-Key`.',
    test: {
      file: TOKENS,
      title: 'credentials: token header, payment header or both → payment needs both, else 402 or 401',
    },
  },
  {
    rule: 'A credential that answers an unknown, changed or expired challenge is a 409.',
    test: {
      file: TOKENS,
      title:
        'payment_credential_mismatch: an unreadable, unknown, foreign, changed or expired challenge → 409 and no charge',
    },
  },
  {
    rule: 'Repeating a call after a lost response returns the charge already made.',
    test: {
      file: TOKENS,
      title: 'already_paid: the call is repeated with any credential or none → the charge already made',
    },
  },
  {
    rule: 'A rail that this environment does not serve is a 501.',
    test: {
      file: INVOICES,
      title: 'payment_rail_not_served: an invoice of a machine rail that is not served → 501',
    },
  },
  {
    rule: 'An invoice that is void or uncollectible is a 422.',
    test: { file: INVOICES, title: 'invoice_not_payable: a void or uncollectible invoice → 422' },
  },
  {
    rule: 'Every amount that a client can see comes from one calculation.',
    test: {
      file: 'tests/payments/one-calculation.test.ts',
      title: 'totals: random orders of the price list → the same cents from the estimate to the books',
    },
  },
  {
    rule: 'The ledger agrees with what moved outside, after payments by every reference client.',
    test: {
      file: CLIENTS,
      title:
        'money: what the clients paid → one transfer or charge an invoice, and the books agree with the outside',
    },
  },
  {
    rule: 'Over the tool protocol a payment of x402 travels in `_meta["x402/payment"]` and its receipt in `_meta["x402/payment-response"]`.',
    test: {
      file: JOURNEY,
      title:
        'x402/payment: the terms of the structured content are signed by the published client → paid, with its receipt in _meta',
    },
  },
  {
    rule: 'Over the tool protocol the `Payment` scheme asks with the error -32042 and answers with `org.paymentauth/receipt`.',
    test: {
      file: TOKENS,
      title:
        '-32042: pay_invoice as a tool without a credential → the challenge as JSON, which a credential in _meta answers',
    },
  },
  {
    rule: 'In a sandbox tools alone pay, with a token of `mint_payment_token`.',
    test: {
      file: TOKENS,
      title: 'spt: tools alone in a sandbox, and then again by every other way → one charge',
    },
  },
  {
    rule: 'A live environment refuses a test token whatever the invoice.',
    test: {
      file: INVOICES,
      title: 'test_payment_unavailable: a live environment gets a test token → 403, whatever the invoice',
    },
  },
];
