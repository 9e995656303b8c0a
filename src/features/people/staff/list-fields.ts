/** Fields by which the list of staff can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';

export const staffFields = listFields({
  name: 'staff',
  key: 'user_id',
  defaultSort: '-staff_since',
  fields: {
    user_id: { kind: 'uuid', sql: 'u.id' },
    email: { kind: 'text', sql: 'u.email', search: true },
    name: { kind: 'text', sql: 'u.name', search: true, nullable: true },
    staff_since: { kind: 'timestamp', sql: 'u.staff_since' },
  },
});
