/** Fields by which the lists of deliveries can be filtered, sorted and searched. */
import { listFields, type FieldDeclaration } from '#core/filter/index.ts';
import { deliveryStatuses } from './rules.ts';

const FIELDS: Readonly<Record<string, FieldDeclaration>> = {
  id: { kind: 'uuid', sql: 'd.id' },
  webhook_id: { kind: 'uuid', sql: 'd.webhook_id', nullable: true },
  experiment_id: { kind: 'uuid', sql: 'd.experiment_id', nullable: true },
  event_type: { kind: 'text', sql: 'd.event_type', search: true },
  status: { kind: 'enum', sql: 'd.status', values: deliveryStatuses },
  attempts: { kind: 'int', sql: 'd.attempts' },
  last_outcome: { kind: 'text', sql: 'd.last_outcome', nullable: true, search: true },
  created_at: { kind: 'timestamp', sql: 'd.created_at' },
  ended_at: { kind: 'timestamp', sql: 'd.ended_at', nullable: true },
};

export const deliveryFields = listFields({
  name: 'deliveries',
  key: 'id',
  defaultSort: '-created_at',
  fields: FIELDS,
});

export const webhookDeliveryFields = listFields({
  name: 'deliveries of an endpoint',
  key: 'id',
  defaultSort: '-created_at',
  fields: FIELDS,
});
