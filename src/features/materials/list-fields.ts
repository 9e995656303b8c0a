/** Fields by which the orders that need materials can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';
import { invoiceStatuses } from '#core/lifecycle.ts';
import { WAITING_ACTOR } from '../queue/list-fields.ts';

/** Orders between the acceptance of the quote and the run. */
export const materialStates = ['waiting_for_materials', 'in_queue'] as const;

export const neededFields = listFields({
  name: 'orders that need materials',
  key: 'experiment_id',
  defaultSort: 'status_since',
  fields: {
    experiment_id: { kind: 'uuid', sql: 'e.id' },
    experiment_code: { kind: 'text', sql: 'e.code', search: true },
    experiment_name: { kind: 'text', sql: 'e.name', search: true },
    organization_id: { kind: 'uuid', sql: 'e.organization_id' },
    organization_name: { kind: 'text', sql: 'o.name', search: true },
    status: { kind: 'enum', sql: 'e.status', values: materialStates },
    status_since: { kind: 'timestamp', sql: 'e.status_since' },
    invoice_status: { kind: 'enum', sql: 'inv.status', values: invoiceStatuses, nullable: true },
    waiting_actor: { kind: 'enum', sql: WAITING_ACTOR, values: ['client', 'lab', 'service'], nullable: true },
    target_name: { kind: 'text', sql: 't.name', nullable: true, search: true },
    n_materials: { kind: 'int', sql: 'm.n_materials' },
    n_missing: { kind: 'int', sql: 'm.n_missing' },
    n_ordered: { kind: 'int', sql: 'm.n_ordered' },
    n_expired: { kind: 'int', sql: 'm.n_expired' },
  },
});
