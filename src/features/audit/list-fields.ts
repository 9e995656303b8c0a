/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';
import { actorKinds } from './rules.ts';

const ownFields = {
  id: { kind: 'uuid', sql: 'a.id' },
  created_at: { kind: 'timestamp', sql: 'a.created_at' },
  actor_kind: { kind: 'enum', sql: 'a.actor_kind', values: actorKinds },
  actor: { kind: 'text', sql: 'a.actor', search: true },
  user_id: { kind: 'uuid', sql: 'a.user_id', nullable: true },
  token_id: { kind: 'uuid', sql: 'a.token_id', nullable: true },
  operation: { kind: 'text', sql: 'a.operation_id', search: true },
  subject: { kind: 'text', sql: 'a.subject', nullable: true, search: true },
  status: { kind: 'int', sql: 'a.status' },
  request_id: { kind: 'text', sql: 'a.request_id', nullable: true },
  address: { kind: 'text', sql: 'a.address', nullable: true },
  position: { kind: 'int', sql: 'a.chain_position', nullable: true },
} as const;

export const auditFields = listFields({
  name: 'audit entries',
  key: 'id',
  defaultSort: '-created_at',
  fields: ownFields,
});

export const allAuditFields = listFields({
  name: 'audit entries of all organizations',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    ...ownFields,
    organization_id: { kind: 'uuid', sql: 'a.organization_id' },
    organization_name: { kind: 'text', sql: 'o.name', nullable: true, search: true },
  },
});
