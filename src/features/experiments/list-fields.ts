/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';
import { experimentStatuses } from '#core/lifecycle.ts';
import { experimentTypes } from './types.ts';

export const experimentFields = listFields({
  name: 'experiments',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 'e.id' },
    code: { kind: 'text', sql: 'e.code', search: true },
    name: { kind: 'text', sql: 'e.name', search: true },
    status: { kind: 'enum', sql: 'e.status', values: experimentStatuses },
    results_status: { kind: 'enum', sql: 'e.results_status', values: ['none', 'partial', 'all'] },
    experiment_type: { kind: 'enum', sql: 'e.experiment_type', values: experimentTypes },
    method: { kind: 'text', sql: 'e.method', nullable: true },
    target_id: { kind: 'uuid', sql: 'e.target_id', nullable: true },
    target_name: { kind: 'text', sql: 't.name', nullable: true },
    n_replicates: { kind: 'int', sql: 'e.n_replicates' },
    sequence_count: { kind: 'int', sql: 'e.sequence_count' },
    parameters: { kind: 'json', sql: 'e.parameters', nullable: true },
    status_since: { kind: 'timestamp', sql: 'e.status_since' },
    eta: { kind: 'timestamp', sql: 'e.eta', nullable: true },
    created_at: { kind: 'timestamp', sql: 'e.created_at' },
    updated_at: { kind: 'timestamp', sql: 'e.updated_at' },
  },
});
