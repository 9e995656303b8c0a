/** Fields by which the list of price lists can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';

export const priceListFields = listFields({
  name: 'price lists',
  key: 'id',
  defaultSort: '-effective_from',
  fields: {
    id: { kind: 'uuid', sql: 'l.id' },
    version: { kind: 'text', sql: 'l.version', nullable: true, search: true },
    status: { kind: 'enum', sql: 'l.status', values: ['draft', 'published'] },
    note: { kind: 'text', sql: 'l.note', search: true },
    effective_from: { kind: 'timestamp', sql: 'l.effective_from' },
    created_at: { kind: 'timestamp', sql: 'l.created_at' },
    updated_at: { kind: 'timestamp', sql: 'l.updated_at' },
    published_at: { kind: 'timestamp', sql: 'l.published_at', nullable: true },
  },
});
