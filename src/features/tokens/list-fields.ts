/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';

export const tokenFields = listFields({
  name: 'tokens',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 't.id' },
    name: { kind: 'text', sql: 't.name', search: true },
    kind: { kind: 'enum', sql: 't.kind', values: ['root', 'attenuated'] },
    role: { kind: 'text', sql: 't.role' },
    user_id: { kind: 'uuid', sql: 't.user_id' },
    organization_id: { kind: 'uuid', sql: 't.organization_id' },
    parent_token_id: { kind: 'uuid', sql: 't.parent_token_id', nullable: true },
    root_token_id: { kind: 'uuid', sql: 't.root_token_id' },
    created_at: { kind: 'timestamp', sql: 't.created_at' },
    expires_at: { kind: 'timestamp', sql: 't.expires_at', nullable: true },
    revoked_at: { kind: 'timestamp', sql: 't.revoked_at', nullable: true },
    last_used_at: { kind: 'timestamp', sql: 't.last_used_at', nullable: true },
  },
});
