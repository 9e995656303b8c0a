/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields, type FieldDeclaration } from '#core/filter/index.ts';
import { experimentStatuses } from '#core/lifecycle.ts';
import { eventTypes, updateTypes } from './types.ts';

const CODE_PATTERN = /^[A-Z0-9]+-\d{3,}-\d{3,}$/i;

const UPDATE_FIELDS: Readonly<Record<string, FieldDeclaration>> = {
  id: { kind: 'uuid', sql: 'u.id' },
  sequence: { kind: 'int', sql: 'u.sequence' },
  experiment_id: {
    kind: 'uuid',
    sql: 'u.experiment_id',
    code: { field: 'experiment_code', pattern: CODE_PATTERN },
  },
  experiment_code: { kind: 'text', sql: 'u.experiment_code', search: true },
  type: { kind: 'enum', sql: 'u.type', values: updateTypes },
  event_type: { kind: 'enum', sql: 'u.event_type', values: eventTypes },
  name: { kind: 'text', sql: 'u.name', search: true },
  previous_status: { kind: 'enum', sql: 'u.previous_status', values: experimentStatuses, nullable: true },
  status: { kind: 'enum', sql: 'u.status', values: experimentStatuses, nullable: true },
  timestamp: { kind: 'timestamp', sql: 'u.created_at' },
  created_at: { kind: 'timestamp', sql: 'u.created_at' },
};

export const updateFields = listFields({
  name: 'updates',
  key: 'id',
  defaultSort: '-id',
  fields: UPDATE_FIELDS,
});

/** Fields for the feed of one experiment, which starts with the oldest update. */
export const experimentUpdateFields = listFields({
  name: 'experiment updates',
  key: 'id',
  defaultSort: 'id',
  fields: UPDATE_FIELDS,
});

/** Fields for the feed of several organizations. */
export const sharedUpdateFields = listFields({
  name: 'updates of several organizations',
  key: 'id',
  defaultSort: '-id',
  fields: {
    ...UPDATE_FIELDS,
    organization_id: { kind: 'uuid', sql: 'u.organization_id' },
    organization_name: { kind: 'text', sql: 'o.name', search: true },
  },
});
