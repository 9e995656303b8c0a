/** Fields by which the lists of this noun can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';
import { buildListFields } from '#core/record.ts';
import { detailFields, leanFields, proteinFields, staffFields } from './record.ts';

const fields = {
  id: { kind: 'uuid', sql: 't.id' },
  ...buildListFields(leanFields, 't'),
  ...buildListFields(proteinFields, 't'),
  purity: {
    kind: 'float',
    sql: `(case when jsonb_typeof(t.details -> 'purity') = 'number' then (t.details ->> 'purity')::float8 end)`,
    nullable: true,
  },
  selfservice: { kind: 'bool', sql: '(t.pricing is not null)' },
  ...buildListFields(detailFields, 't'),
  details: { kind: 'json', sql: 't.details' },
  created_at: { kind: 'timestamp', sql: 't.created_at' },
  search_text: { kind: 'text', sql: 't.search_text', filter: false, sort: false, search: true },
} as const;

export const targetFields = listFields({ name: 'targets', key: 'id', defaultSort: 'name', fields });

export const labTargetFields = listFields({
  name: 'targets of the lab',
  key: 'id',
  defaultSort: 'name',
  fields: {
    ...fields,
    organization_id: { kind: 'uuid', sql: 't.owner_organization_id', nullable: true },
    ...buildListFields(staffFields, 't'),
    retired: { kind: 'bool', sql: '(not t.listed)' },
    updated_at: { kind: 'timestamp', sql: 'coalesce(t.updated_at, t.created_at)' },
  },
});

const requestFields = {
  id: { kind: 'uuid', sql: 'r.id' },
  name: { kind: 'text', sql: 'r.name', search: true },
  product_id: { kind: 'text', sql: 'r.product_id', search: true },
  status: { kind: 'enum', sql: 'r.status', values: ['pending_review', 'approved', 'rejected'] },
  experiment_id: { kind: 'uuid', sql: 'r.experiment_id', nullable: true },
  created_at: { kind: 'timestamp', sql: 'r.created_at' },
  updated_at: { kind: 'timestamp', sql: 'r.updated_at' },
} as const;

export const targetRequestFields = listFields({
  name: 'custom target requests',
  key: 'id',
  defaultSort: '-created_at',
  fields: requestFields,
});

export const labTargetRequestFields = listFields({
  name: 'target requests of all organizations',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    ...requestFields,
    organization_id: { kind: 'uuid', sql: 'r.organization_id' },
    organization_name: { kind: 'text', sql: 'o.name', search: true },
  },
});
