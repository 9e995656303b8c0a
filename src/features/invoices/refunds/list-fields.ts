/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';

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
