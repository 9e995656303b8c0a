/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';
import { roles } from '#core/permissions.ts';

export const partnerTokenFields = listFields({
  name: 'partner_tokens',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 't.id' },
    name: { kind: 'text', sql: 't.name', search: true },
    role: { kind: 'enum', sql: 't.role', values: roles },
    user_id: { kind: 'uuid', sql: 't.user_id' },
    user_email: { kind: 'text', sql: 'u.email', search: true },
    organization_id: { kind: 'uuid', sql: 't.organization_id' },
    organization_name: { kind: 'text', sql: 'o.name', search: true },
    created_at: { kind: 'timestamp', sql: 't.created_at' },
    expires_at: { kind: 'timestamp', sql: 't.expires_at', nullable: true },
    revoked_at: { kind: 'timestamp', sql: 't.revoked_at', nullable: true },
  },
});
