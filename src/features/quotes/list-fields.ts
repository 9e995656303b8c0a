/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';

const fields = {
  id: { kind: 'text', sql: 'q.id' },
  quote_number: { kind: 'text', sql: 'q.quote_number', search: true },
  organization_id: { kind: 'uuid', sql: 'q.organization_id' },
  experiment_id: { kind: 'uuid', sql: 'q.experiment_id' },
  experiment_code: { kind: 'text', sql: 'e.code', search: true },
  status: { kind: 'enum', sql: 'q.status', values: ['draft', 'open', 'accepted', 'canceled', 'stale'] },
  amount_cents: { kind: 'int', sql: 'q.total_cents' },
  currency: { kind: 'text', sql: 'q.currency' },
  created_at: { kind: 'timestamp', sql: 'q.created_at' },
  valid_until: { kind: 'timestamp', sql: 'q.valid_until' },
} as const;

export const quoteFields = listFields({ name: 'quotes', key: 'id', defaultSort: '-created_at', fields });

export const labQuoteFields = listFields({
  name: 'quotes of all organizations',
  key: 'id',
  defaultSort: '-created_at',
  fields: { ...fields, organization_name: { kind: 'text', sql: 'o.name', search: true } },
});
