/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';

const fields = {
  id: { kind: 'uuid', sql: 'i.id' },
  invoice_number: { kind: 'text', sql: 'i.invoice_number', nullable: true, search: true },
  organization_id: { kind: 'uuid', sql: 'i.organization_id' },
  experiment_id: { kind: 'uuid', sql: 'i.experiment_id' },
  experiment_code: { kind: 'text', sql: 'e.code', search: true },
  quote_id: { kind: 'text', sql: 'i.quote_id' },
  status: { kind: 'enum', sql: 'i.status', values: ['draft', 'open', 'paid', 'void', 'uncollectible'] },
  payment_method: { kind: 'text', sql: 'i.payment_method' },
  amount_cents: { kind: 'int', sql: 'i.total_cents' },
  currency: { kind: 'text', sql: 'i.currency' },
  due_date: { kind: 'timestamp', sql: 'i.due_date', nullable: true },
  paid_at: { kind: 'timestamp', sql: 'i.paid_at', nullable: true },
  created_at: { kind: 'timestamp', sql: 'i.created_at' },
} as const;

export const invoiceFields = listFields({ name: 'invoices', key: 'id', defaultSort: '-created_at', fields });

export const labInvoiceFields = listFields({
  name: 'invoices of all organizations',
  key: 'id',
  defaultSort: '-created_at',
  fields: { ...fields, organization_name: { kind: 'text', sql: 'o.name', search: true } },
});

/** Fields by which the lists of this noun can be filtered, sorted and searched. */
export const refundFields = listFields({
  name: 'refunds',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 'r.id' },
    organization_id: { kind: 'uuid', sql: 'r.organization_id' },
    organization_name: { kind: 'text', sql: 'o.name', search: true },
    invoice_id: { kind: 'uuid', sql: 'r.invoice_id' },
    credit_note_number: { kind: 'text', sql: 'r.credit_note_number', search: true },
    status: { kind: 'enum', sql: 'r.status', values: ['pending', 'refunded', 'action_required'] },
    rail: { kind: 'text', sql: 'r.rail', search: true },
    amount_cents: { kind: 'int', sql: 'r.amount_cents' },
    created_at: { kind: 'timestamp', sql: 'r.created_at' },
    refunded_at: { kind: 'timestamp', sql: 'r.refunded_at', nullable: true },
  },
});
