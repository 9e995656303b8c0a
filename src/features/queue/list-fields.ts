/** Fields by which the queue of the lab can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';
import { experimentStatuses, invoiceStatuses, listAwaited } from '#core/lifecycle.ts';
import { experimentTypes } from '../experiments/types.ts';

/** The turns of the lifecycle as a case over a column of the turn; so the queue and the record always agree. */
function writeTurnCase(column: 'actor' | 'awaiting'): string {
  const rows = listAwaited().flatMap(({ status, invoiceStatus, [column]: value }) =>
    value === null ? [] : `when '${status} ${invoiceStatus ?? ''}' then '${value.replaceAll("'", "''")}'`,
  );
  return `case e.status || ' ' || coalesce(inv.status, '') ${rows.join(' ')} end`;
}

export const WAITING_ACTOR = writeTurnCase('actor');
export const AWAITING = writeTurnCase('awaiting');

/** The current invoice of an experiment: a void invoice that was issued again does not count. */
export const INVOICE = `left join lateral (
    select i.id, i.status, i.total_cents, i.invoice_number, i.due_date, i.created_at from invoices i where i.experiment_id = e.id
      and not exists (select 1 from invoices n where n.replaces_id = i.id)
    order by i.created_at desc limit 1) inv on true`;
export const TARGET = 'left join targets t on t.id = e.target_id';
export const ORGANIZATION = 'join organizations o on o.id = e.organization_id';

export const queueFields = listFields({
  name: 'experiments of the lab',
  key: 'id',
  defaultSort: 'status_since',
  fields: {
    id: { kind: 'uuid', sql: 'e.id' },
    code: { kind: 'text', sql: 'e.code', search: true },
    name: { kind: 'text', sql: 'e.name', search: true },
    organization_id: { kind: 'uuid', sql: 'e.organization_id' },
    organization_name: { kind: 'text', sql: 'o.name', search: true },
    status: { kind: 'enum', sql: 'e.status', values: experimentStatuses },
    status_since: { kind: 'timestamp', sql: 'e.status_since' },
    waiting_actor: { kind: 'enum', sql: WAITING_ACTOR, values: ['client', 'lab', 'service'], nullable: true },
    results_status: { kind: 'enum', sql: 'e.results_status', values: ['none', 'partial', 'all'] },
    experiment_type: { kind: 'enum', sql: 'e.experiment_type', values: experimentTypes },
    method: { kind: 'text', sql: 'e.method', nullable: true },
    target_id: { kind: 'uuid', sql: 'e.target_id', nullable: true },
    target_name: { kind: 'text', sql: 't.name', nullable: true, search: true },
    n_replicates: { kind: 'int', sql: 'e.n_replicates' },
    sequence_count: { kind: 'int', sql: 'e.sequence_count' },
    invoice_status: { kind: 'enum', sql: 'inv.status', values: invoiceStatuses, nullable: true },
    submitted_at: { kind: 'timestamp', sql: 'e.submitted_at', nullable: true },
    eta: { kind: 'timestamp', sql: 'e.eta', nullable: true },
    promised_at: { kind: 'timestamp', sql: 'e.promised_at', nullable: true },
    created_at: { kind: 'timestamp', sql: 'e.created_at' },
    updated_at: { kind: 'timestamp', sql: 'e.updated_at' },
  },
});
