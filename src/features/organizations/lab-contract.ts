/** Operations of staff on the organizations of clients. */
import { CreatedAt, OrganizationName } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, Type, Uuid } from '#core/schema.ts';
import { labOrganizationFields } from './list-fields.ts';

const Client = Type.Object({
  id: describe(Uuid, 'never changes; quotes, invoices and experiments name it'),
  name: OrganizationName,
  slug: Type.String({ description: 'first part of the codes of its experiments' }),
  legal_name: Nullable(Type.String(), { description: 'name on its documents; null: its name is printed' }),
  country: Nullable(Type.String(), {
    description: 'ISO 3166-1 alpha-2; null: not known, so no tax is charged',
  }),
  member_count: Type.Integer({ description: 'people who belong to it' }),
  experiment_count: Type.Integer({ description: 'its experiments, drafts included' }),
  owed_cents: Type.Integer({ description: 'sum of its open invoices in US cents, with tax' }),
  created_at: CreatedAt,
});

export const listLabOrganizations = defineOperation({
  id: 'list_lab_organizations',
  method: 'GET',
  path: '/lab/organizations',
  tag: 'lab-billing',
  summary: 'List the organizations of clients with what they owe, newest first',
  effect: 'read',
  permission: 'lab:read',
  list: labOrganizationFields,
  query: ListQuery({}),
  output: PageOf(Client),
  failures: ['invalid_query'],
  example: {
    query: { search: 'demo' },
    output: {
      items: [
        {
          id: '01980000-0000-7000-8000-0000000000b1',
          name: 'Demo organization',
          slug: 'DEMO',
          legal_name: 'Demo Biosciences GmbH',
          country: 'DE',
          member_count: 3,
          experiment_count: 12,
          owed_cents: 21_200,
          created_at: '2026-01-20T09:00:00.000Z',
        },
      ],
      count: 1,
      offset: 0,
      total: 1,
    },
  },
});
