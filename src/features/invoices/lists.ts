/** The lists of invoices and of refunds: what their items hold, and how they are filtered, sorted and searched. */
import { paymentMethodWords } from '#core/capability.ts';
import { EXAMPLE_ADDRESS } from '#core/example-address.ts';
import {
  CreatedAt,
  Currency,
  ExperimentCode,
  Eta,
  ExperimentId,
  HostedInvoiceUrl,
  OrganizationId,
  OrganizationName,
} from '#core/fields.ts';
import { defineList, defineMember } from '#core/list-item.ts';
import { describe, Nullable, OneOf, Timestamp, Type, Uuid } from '#core/schema.ts';
import { InvoiceStatus } from '../pricing/contract.ts';

const LIST = { name: 'invoices', key: 'id', defaultSort: '-created_at' };
const INVOICE_ID = '01980000-0000-7000-8000-0000000000c1';
const ORGANIZATION_ID = '01980000-0000-7000-8000-0000000000b1';
const SENT_AT = '2026-01-20T09:10:00.000Z';

/** Of invoices `i` and experiments `e`; `$2` is the address of the service. */
const invoice = {
  id: defineMember(
    Type.String({ description: 'UUID; paths accept it or the external id' }),
    'i.id',
    INVOICE_ID,
    { kind: 'uuid' },
  ),
  invoice_number: defineMember(
    Nullable(Type.String(), {
      description: 'number on the document, such as INV-2026-00001; null while it is a draft',
    }),
    'i.invoice_number',
    'INV-2026-00001',
    { search: true },
  ),
  organization_id: defineMember(OrganizationId, 'i.organization_id', ORGANIZATION_ID),
  experiment_id: defineMember(ExperimentId, 'i.experiment_id', '01980000-0000-7000-8000-0000000000e1'),
  experiment_code: defineMember(ExperimentCode, 'e.code', 'DEMO-001-001', { search: true }),
  status: defineMember(
    describe(InvoiceStatus, 'only an open invoice can be paid; void: withdrawn; uncollectible: given up'),
    'i.status',
    'open',
  ),
  amount_cents: defineMember(
    Type.Integer({ description: 'total with tax, in hundredths of `currency`' }),
    'i.total_cents',
    21200,
  ),
  currency: defineMember(Currency, 'i.currency', 'usd'),
  created_at: defineMember(CreatedAt, 'i.created_at', SENT_AT),
  due_date: defineMember(
    Nullable(Timestamp, { description: 'UTC; 30 days after it was sent, null before that' }),
    'i.due_date',
    '2026-02-19T09:10:00.000Z',
  ),
  eta: defineMember(Eta, 'e.eta', '2026-03-06T16:00:00.000Z'),
  payment_method: defineMember(
    Type.String({ description: `rail of its experiment: ${paymentMethodWords}` }),
    'i.payment_method',
    'async_invoice',
  ),
  hosted_invoice_url: defineMember(
    Type.Optional(HostedInvoiceUrl),
    `$2::text || '/pay/' || i.hosted_key`,
    `${EXAMPLE_ADDRESS}/pay/aBcD`,
    false,
  ),
};
const others = {
  quote_id: { kind: 'text', sql: 'i.quote_id' },
  paid_at: { kind: 'timestamp', sql: 'i.paid_at', nullable: true },
} as const;

export const invoicesList = defineList(LIST, invoice, others);

/** With organizations `o`. */
export const labInvoicesList = defineList(
  { ...LIST, name: 'invoices of all organizations' },
  {
    ...invoice,
    organization_name: defineMember(OrganizationName, 'o.name', 'Demo', { search: true }),
    sent_at: defineMember(
      Nullable(Timestamp, { description: 'UTC time when it could first be paid; null while it is a draft' }),
      'i.finalized_at',
      SENT_AT,
      false,
    ),
  },
  others,
);

const SendTo = Nullable(
  Type.Object({
    network: Type.String({ description: 'CAIP-2, such as eip155:8453' }),
    address: Type.String({ description: 'the wallet that paid' }),
    asset: Type.String({ description: 'the contract of the token' }),
    token: Type.String({ description: 'its name' }),
    base_units: Type.String({ description: 'amount to send, in base units of the token' }),
  }),
  { description: 'destination of the refund of a payment by x402-exact; null on other rails' },
);

/** Scales the signed amount of the invoice, so that current settings do not matter. */
export const SEND_TO = `case when a.request->'authorization' is not null then json_build_object(
  'network', a.request->'requirements'->>'network', 'address', a.request->'authorization'->>'from',
  'asset', a.request->'requirements'->>'asset', 'token', a.request->'requirements'->'extra'->>'name',
  'base_units', div(r.amount_cents * (a.request->'authorization'->>'value')::numeric, i.total_cents)::text)
  end`;

/** Of refunds `r`, invoices `i`, the paying attempt `a` and organizations `o`. */
export const refundsList = defineList(
  { name: 'refunds', key: 'id', defaultSort: '-created_at' },
  {
    id: defineMember(
      describe(Uuid, 'id for retrying and recording it'),
      'r.id',
      '01980000-0000-7000-8000-0000000000d1',
    ),
    organization_id: defineMember(OrganizationId, 'r.organization_id', ORGANIZATION_ID),
    invoice_id: defineMember(describe(Uuid, 'the invoice that is refunded'), 'r.invoice_id', INVOICE_ID),
    credit_note_number: defineMember(
      Type.String({ description: 'number on the document, such as CN-2026-00001' }),
      'r.credit_note_number',
      'CN-2026-00001',
      { search: true },
    ),
    status: defineMember(
      OneOf(['pending', 'refunded', 'action_required'], {
        description:
          'whether the money is on its way, has been sent back, or waits for staff because the rail rejected it',
      }),
      'r.status',
      'pending',
    ),
    rail: defineMember(
      Type.String({ description: 'the rail of the payment and of its refund' }),
      'r.rail',
      'hosted',
      { search: true },
    ),
    amount_cents: defineMember(
      Type.Integer({ description: 'with tax, in hundredths of the currency' }),
      'r.amount_cents',
      21200,
    ),
    tax_cents: defineMember(
      Type.Integer({ description: 'the part of the amount that is tax' }),
      'r.tax_cents',
      0,
      false,
    ),
    currency: defineMember(Currency, 'r.currency', 'usd', false),
    is_credit: defineMember(
      Type.Boolean({
        description:
          'false for money that was never owed, such as a second payment; it is not part of amount_refunded_cents',
      }),
      'r.is_credit',
      true,
      false,
    ),
    send_to: defineMember(SendTo, SEND_TO, null, false),
    reason: defineMember(
      Type.String({ description: 'why, in the words of the lab; printed on the document' }),
      'r.reason',
      'The antigen cannot be bought any more.',
      false,
    ),
    reference: defineMember(
      Nullable(Type.String(), { description: 'reference of the refund on its rail; null before that' }),
      'r.reference',
      null,
      false,
    ),
    problem: defineMember(
      Nullable(Type.String(), {
        description: 'why the rail did not send it, for staff to act on; null without a problem',
      }),
      'r.problem',
      null,
      false,
    ),
    created_at: defineMember(CreatedAt, 'r.created_at', '2026-01-22T10:00:00.000Z'),
    refunded_at: defineMember(
      Nullable(Timestamp, { description: 'UTC time when the money was sent back; null before that' }),
      'r.refunded_at',
      null,
    ),
    organization_name: defineMember(OrganizationName, 'o.name', 'Demo', { search: true }),
  },
);
