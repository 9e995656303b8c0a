/** What waits for the person of the staff who asks. */
import {
  Eta,
  ExperimentCode,
  OrganizationName,
  ExperimentName,
  PromisedAt,
  StatusSince,
} from '#core/fields.ts';
import { experimentStatuses, invoiceStatuses } from '#core/lifecycle.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, Nullable, OneOf, Timestamp, Type, Uuid, type Static } from '#core/schema.ts';
import { needKinds } from './needs.ts';

const NeededOrder = Type.Object({
  experiment_id: describe(Uuid, 'of the order'),
  experiment_code: ExperimentCode,
  experiment_name: ExperimentName,
  organization_name: OrganizationName,
  status: OneOf(experimentStatuses, { description: 'state of the order' }),
  status_since: StatusSince,
  eta: Eta,
  promised_at: PromisedAt,
  also: Type.Array(OneOf(needKinds), {
    description: 'what else it waits for that you may see to, the most urgent first',
  }),
  invoice: Nullable(
    Type.Object({
      id: describe(Uuid, 'of the invoice'),
      status: OneOf(invoiceStatuses, { description: 'state of the invoice' }),
      invoice_number: Nullable(Type.String(), { description: 'null for a draft' }),
      amount_cents: Type.Integer({ description: 'US cents, with tax' }),
      created_at: describe(Timestamp, 'UTC time when it was made'),
      due_date: Nullable(Timestamp, { description: 'UTC time when its payment is due; null for a draft' }),
      days_late: Type.Integer({
        description: 'days since the payment of an open invoice was due, a begun one counted; 0 in time',
      }),
    }),
    { description: 'current invoice; null without one, and without `lab:bill`' },
  ),
  refund: Nullable(
    Type.Object({
      credit_note_number: Type.String({ description: 'the oldest refund of the order that needs you' }),
      count: Type.Integer({ description: 'refunds of the order that need you' }),
      amount_cents: Type.Integer({ description: 'US cents of all of them' }),
      created_at: describe(Timestamp, 'UTC time when the oldest was asked for'),
      problem: Nullable(Type.String(), { description: 'why its rail did not send it' }),
    }),
    { description: 'money to send back by hand; null without any, and without `lab:bill`' },
  ),
});

const Need = Type.Object({
  kind: OneOf(needKinds, { description: 'what its orders wait for' }),
  total: Type.Integer({ description: 'number of its orders' }),
  orders: Type.Array(NeededOrder, {
    description: 'the first five: of those in the lab the earliest promised first, then the longest waiting',
  }),
});
export type LabNeed = Static<typeof Need>;

export const getLabNeeds = defineOperation({
  id: 'get_lab_needs',
  method: 'GET',
  path: '/lab/needs',
  tag: 'lab-queue',
  summary: 'Read which orders wait for you as staff, each once, under what is most urgent about it',
  description:
    'You see only what your roles let you do: a person of finance the invoices to send, those that are unpaid or overdue, and refunds to send by hand; an operator materials and runs; a manager quotes, target requests, reviews and amendments.',
  effect: 'read',
  permission: 'lab:read',
  output: Type.Object({
    needs: Type.Array(Need, { description: 'the most urgent first; those without an order are left out' }),
  }),
  failures: [],
  example: {
    output: {
      needs: [
        {
          kind: 'overdue_invoice',
          total: 1,
          orders: [
            {
              experiment_id: '01980000-0000-7000-8000-0000000000e1',
              experiment_code: 'DEMO-001-001',
              experiment_name: 'binders',
              organization_name: 'Demo',
              status: 'waiting_for_materials',
              status_since: '2026-03-02T09:00:00.000Z',
              eta: '2026-04-10T15:00:00.000Z',
              promised_at: '2026-04-03T15:00:00.000Z',
              also: ['materials'],
              invoice: {
                id: '01980000-0000-7000-8000-0000000000b1',
                status: 'open' as const,
                invoice_number: 'INV-2026-00001',
                amount_cents: 106_000,
                created_at: '2026-03-02T08:30:00.000Z',
                due_date: '2026-04-01T08:30:00.000Z',
                days_late: 3,
              },
              refund: null,
            },
          ],
        },
      ],
    },
  },
});
