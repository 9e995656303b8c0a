/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';
import { experimentStatuses } from '#core/lifecycle.ts';

export const sequenceFields = listFields({
  name: 'sequences',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 's.id' },
    experiment_id: { kind: 'uuid', sql: 's.experiment_id' },
    experiment_code: { kind: 'text', sql: 'e.code' },
    experiment_status: { kind: 'enum', sql: 'e.status', values: experimentStatuses },
    name: { kind: 'text', sql: 's.name', search: true },
    aa_string: { kind: 'text', sql: 's.aa_string', search: true, capitals: true, sort: false },
    length: { kind: 'int', sql: 's.length' },
    is_control: { kind: 'bool', sql: 's.is_control' },
    metadata: { kind: 'json', sql: 's.metadata', nullable: true },
    created_at: { kind: 'timestamp', sql: 's.created_at' },
  },
});
