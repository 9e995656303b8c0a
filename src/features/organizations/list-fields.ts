/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';
import { roles } from '#core/permissions.ts';

export const memberFields = listFields({
  name: 'members',
  key: 'user_id',
  defaultSort: '-joined_at',
  fields: {
    user_id: { kind: 'uuid', sql: 'm.user_id' },
    email: { kind: 'text', sql: 'u.email', search: true },
    name: { kind: 'text', sql: 'u.name', search: true, nullable: true },
    role: { kind: 'enum', sql: 'm.role', values: [...roles] },
    joined_at: { kind: 'timestamp', sql: 'm.created_at' },
  },
});

export const invitationFields = listFields({
  name: 'invitations',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 'i.id' },
    email: { kind: 'text', sql: 'i.email', search: true },
    role: { kind: 'enum', sql: 'i.role', values: [...roles] },
    invited_by_user_id: { kind: 'uuid', sql: 'i.invited_by_user_id' },
    created_at: { kind: 'timestamp', sql: 'i.created_at' },
    sent_at: { kind: 'timestamp', sql: 'i.sent_at' },
    expires_at: { kind: 'timestamp', sql: 'i.expires_at' },
  },
});

export const labOrganizationFields = listFields({
  name: 'organizations',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 'o.id' },
    name: { kind: 'text', sql: 'o.name', search: true },
    slug: { kind: 'text', sql: 'o.slug', search: true },
    legal_name: { kind: 'text', sql: 'b.legal_name', search: true, nullable: true },
    country: { kind: 'text', sql: 'b.country', nullable: true },
    created_at: { kind: 'timestamp', sql: 'o.created_at' },
  },
});
