/**
 * Operations with which the lab appoints its staff.
 * This folder: the staff of the lab and their roles. Not here: members of organizations (`features/organizations`).
 */
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { staffRoles } from '#core/permissions.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid } from '#core/schema.ts';
import { staffFields } from './list-fields.ts';

const EMAIL_LENGTH_MAX = 254;

const Roles = Type.Array(
  OneOf(staffRoles, {
    description:
      'operator: materials, runs, files; manager: these, review, prices and staff; finance: invoices, refunds, tax',
  }),
  {
    minItems: 1,
    maxItems: staffRoles.length,
    description: 'what the person does in the lab, each role once',
  },
);

const Staff = Type.Object({
  user_id: describe(Uuid, 'id of the person, for changing the roles and for dismissal'),
  email: Type.String({ description: 'address that the person signs in with' }),
  name: Nullable(Type.String(), { description: 'name of the person; null when never given' }),
  roles: Roles,
  is_effective: Type.Boolean({
    description: 'whether the roles count: the person is an administrator of an organization',
  }),
  staff_since: describe(Timestamp, 'when the person was appointed, UTC'),
});

const params = Type.Object({
  user_id: Type.String({ format: 'uuid', description: '`user_id` of an item of `list_staff`' }),
});

const USER = '01980000-0000-7000-8000-000000000b04';
const person = {
  user_id: USER,
  email: 'operator@example.org',
  name: 'An Operator',
  roles: ['operator' as const],
  is_effective: true,
  staff_since: '2026-01-20T09:00:00.000Z',
};

export const listStaff = defineOperation({
  id: 'list_staff',
  method: 'GET',
  path: '/lab/staff',
  tag: 'lab-staff',
  summary: 'List the staff of the lab with their roles',
  effect: 'read',
  permission: 'lab:read',
  list: staffFields,
  query: ListQuery({}),
  output: PageOf(Staff),
  failures: ['invalid_query'],
  example: { query: { sort: 'asc(email)' }, output: { items: [person], count: 1, offset: 0, total: 1 } },
});

export const appointStaff = defineOperation({
  id: 'appoint_staff',
  method: 'POST',
  path: '/lab/staff',
  tag: 'lab-staff',
  summary: 'Appoint a person who has an account to the staff of the lab',
  description:
    'From their next request on, the admin tokens and sessions of the person have the permissions of the roles. Nobody gives a role with a permission that they do not have.',
  effect: 'reversible',
  permission: 'lab:appoint',
  grants: 'staff',
  bodyMode: 'required',
  body: Type.Object(
    {
      email: Type.String({
        minLength: 3,
        maxLength: EMAIL_LENGTH_MAX,
        description: 'address that the person signs in with',
      }),
      roles: Roles,
    },
    strict,
  ),
  success: 201,
  output: Staff,
  failures: ['person_not_found', 'already_staff', 'address_not_proven', 'staff_role_exceeded'],
  example: { body: { email: person.email, roles: ['operator'] }, output: person },
});

export const changeStaffRoles = defineOperation({
  id: 'change_staff_roles',
  method: 'PATCH',
  path: '/lab/staff/{user_id}',
  tag: 'lab-staff',
  summary: 'Change the roles of a person of the staff',
  description:
    'The roles replace the current ones. Somebody who may appoint staff always remains, and somebody who may bill.',
  effect: 'reversible',
  permission: 'lab:appoint',
  grants: 'staff',
  params,
  bodyMode: 'required',
  body: Type.Object({ roles: Roles }, strict),
  output: Staff,
  failures: ['staff_not_found', 'staff_role_exceeded', 'last_appointing_person', 'last_billing_person'],
  example: {
    params: { user_id: USER },
    body: { roles: ['operator', 'finance'] },
    output: { ...person, roles: ['operator' as const, 'finance' as const] },
  },
});

export const dismissStaff = defineOperation({
  id: 'dismiss_staff',
  method: 'DELETE',
  path: '/lab/staff/{user_id}',
  tag: 'lab-staff',
  summary: 'Dismiss a person from the staff',
  description:
    'The person keeps the account and its organizations, and loses every right in the lab at once.',
  effect: 'reversible',
  permission: 'lab:appoint',
  grants: 'dismissal',
  params,
  output: Type.Object({ user_id: describe(Uuid, 'the person who was dismissed') }),
  failures: ['staff_not_found', 'last_appointing_person', 'last_billing_person'],
  example: { params: { user_id: USER }, output: { user_id: USER } },
});
