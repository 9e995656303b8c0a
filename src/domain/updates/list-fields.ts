/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields, type FieldDeclaration } from '#core/filter/index.ts';
import { experimentStatuses } from '#core/lifecycle.ts';
import { updateTypes } from './types.ts';

const UPDATE_FIELDS: Readonly<Record<string, FieldDeclaration>> = {
  id: { kind: 'uuid', sql: 'u.id' },
  experiment_id: { kind: 'uuid', sql: 'u.experiment_id' },
  experiment_code: { kind: 'text', sql: 'u.experiment_code', search: true },
  type: { kind: 'enum', sql: 'u.type', values: updateTypes },
  name: { kind: 'text', sql: 'u.name', search: true },
  previous_status: { kind: 'enum', sql: 'u.previous_status', values: experimentStatuses, nullable: true },
  status: { kind: 'enum', sql: 'u.status', values: experimentStatuses, nullable: true },
  timestamp: { kind: 'timestamp', sql: 'u.created_at' },
  created_at: { kind: 'timestamp', sql: 'u.created_at' },
};

export const updateFields = listFields({
  name: 'updates',
  key: 'id',
  defaultSort: '-timestamp',
  fields: UPDATE_FIELDS,
});

/** Fields for the feed of one experiment, which starts with the oldest update. */
export const experimentUpdateFields = listFields({
  name: 'experiment updates',
  key: 'id',
  defaultSort: 'timestamp',
  fields: UPDATE_FIELDS,
});
