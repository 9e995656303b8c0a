/**
 * Operations on the members and invitations of an organization.
 * This folder: organizations, their members and invitations. Not here: people themselves (`features/people`).
 */
import { CreatedAt, OrganizationName } from '#core/fields.ts';
import { INVITING } from '#core/grants.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { roles } from '#core/permissions.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid } from '#core/schema.ts';
import { invitationFields, memberFields, labOrganizationFields } from './list-fields.ts';

/** How the newest link of an invitation went out. */
const deliveries = ['mail', 'link'] as const;
export type InvitationDelivery = (typeof deliveries)[number];

const EMAIL_LENGTH_MAX = 254;
const USER = '01980000-0000-7000-8000-000000000b03';
const INVITATION = '01980000-0000-7000-8000-000000000e01';
const AT = '2026-01-20T09:00:00.000Z';

const invitationStates = ['open', 'accepted', 'revoked', 'expired', 'withdrawn'] as const;
const withdrawals = ['sender_left', 'sender_role'] as const;

const Role = OneOf(roles, { description: 'what the person may do in the organization' });
const UserParams = Type.Object({
  user_id: Type.String({ format: 'uuid', description: '`user_id` of an item of `list_members`' }),
});
const InvitationParams = Type.Object({
  invitation_id: Type.String({ format: 'uuid', description: '`id` of an item of `list_invitations`' }),
});

const Member = Type.Object({
  user_id: describe(Uuid, 'id of the person, for changing the role and removing the member'),
  email: Type.String({ description: 'address that the person signs in with' }),
  name: Nullable(Type.String(), { description: 'name of the person; null when never given' }),
  role: Role,
  is_address_proven: Type.Boolean({
    description: 'whether the person has opened a link that was mailed to the address',
  }),
  joined_at: describe(Timestamp, 'when the person became a member, UTC'),
});

const member = {
  user_id: USER,
  email: 'scientist@example.org',
  name: 'A Scientist',
  role: 'member' as const,
  is_address_proven: true,
  joined_at: AT,
};

export const listMembers = defineOperation({
  id: 'list_members',
  method: 'GET',
  path: '/organization/members',
  tag: 'organization',
  summary: 'List the members of the organization',
  effect: 'read',
  permission: 'user:list',
  list: memberFields,
  query: ListQuery({}),
  output: PageOf(Member),
  failures: ['invalid_query'],
  example: { query: { sort: 'asc(email)' }, output: { items: [member], count: 1, offset: 0, total: 1 } },
});

export const changeMemberRole = defineOperation({
  id: 'change_member_role',
  method: 'PATCH',
  path: '/organization/members/{user_id}',
  tag: 'organization',
  summary: 'Change the role of a member',
  description: 'From their next request on, the member’s tokens and sessions have the new role at most.',
  effect: 'reversible',
  permission: 'user:update',
  grants: 'membership',
  params: UserParams,
  bodyMode: 'required',
  body: Type.Object({ role: Role }, strict),
  output: Member,
  failures: ['member_not_found', 'last_administrator'],
  example: {
    params: { user_id: USER },
    body: { role: 'viewer' },
    output: { ...member, role: 'viewer' as const },
  },
});

export const removeMember = defineOperation({
  id: 'remove_member',
  method: 'DELETE',
  path: '/organization/members/{user_id}',
  tag: 'organization',
  summary: 'Remove a member',
  description:
    'The member’s tokens in this organization are revoked; a session of the member sees it no more at the next request.',
  effect: 'irrevocable',
  permission: 'user:delete',
  grants: 'removal',
  params: UserParams,
  output: Type.Object({
    user_id: describe(Uuid, 'the person who was removed'),
    tokens_revoked: Type.Integer({
      minimum: 0,
      description: 'number of tokens of the member that were revoked',
    }),
  }),
  failures: ['member_not_found', 'last_administrator'],
  example: { params: { user_id: USER }, output: { user_id: USER, tokens_revoked: 2 } },
});

const Invitation = Type.Object({
  id: describe(Uuid, 'id for sending it again and revoking it'),
  email: Type.String({ description: 'the only address that can accept it' }),
  role: Role,
  status: OneOf(invitationStates, {
    description: 'only an open one can be accepted; a withdrawn or expired one can be sent again',
  }),
  withdrawn_because: Nullable(OneOf(withdrawals), {
    description:
      'its sender has left the organization, or may no longer give the role; null unless it is withdrawn',
  }),
  delivery: OneOf(deliveries, { description: 'how its newest link went out: by mail, or copied by hand' }),
  invited_by_user_id: describe(Uuid, 'the member who sent it'),
  created_at: CreatedAt,
  sent_at: describe(Timestamp, 'when its newest link was made, UTC'),
  expires_at: describe(Timestamp, 'UTC; seven days after its newest link was made'),
});

const InvitationWithLink = Type.Object({
  ...Invitation.properties,
  link: Nullable(Type.String(), {
    description: 'the link to hand over, shown this once; null where it was mailed or shown before',
  }),
  link_was_shown: Type.Boolean({
    description:
      'true in the repeat of an answer that had the link, which is shown once; make a new link if that answer is lost',
  }),
});

const Delivery = Type.Optional(
  OneOf(deliveries, {
    description:
      'mail, the default, or link: the answer has it once, for you to hand over; it does not prove the address',
  }),
);

const invitation = {
  id: INVITATION,
  email: 'scientist@example.org',
  role: 'member' as const,
  status: 'open' as const,
  withdrawn_because: null,
  delivery: 'mail' as const,
  invited_by_user_id: '01980000-0000-7000-8000-000000000b02',
  created_at: AT,
  sent_at: AT,
  expires_at: '2026-01-27T09:00:00.000Z',
};

export const listInvitations = defineOperation({
  id: 'list_invitations',
  method: 'GET',
  path: '/organization/invitations',
  tag: 'organization',
  summary: 'List the invitations of the organization',
  effect: 'read',
  permission: 'user:list',
  list: invitationFields,
  query: ListQuery({}),
  output: PageOf(Invitation),
  failures: ['invalid_query'],
  example: { query: { limit: 20 }, output: { items: [invitation], count: 1, offset: 0, total: 1 } },
});

export const inviteMember = defineOperation({
  id: 'invite_member',
  method: 'POST',
  path: '/organization/invitations',
  tag: 'organization',
  summary: 'Invite somebody',
  description:
    'The link, which is mailed or answered once, works once, for seven days. It adds a member under the invited address only, as long as its sender may still give the role.',
  effect: 'reversible',
  permission: INVITING,
  grants: 'membership',
  bodyMode: 'required',
  body: Type.Object(
    {
      email: Type.String({
        minLength: 3,
        maxLength: EMAIL_LENGTH_MAX,
        description: 'e-mail address of the new member',
      }),
      role: Role,
      delivery: Delivery,
    },
    strict,
  ),
  output: InvitationWithLink,
  shownOnce: 'link',
  success: 201,
  failures: ['invalid_request', 'already_member', 'already_invited', 'mail_not_served'],
  example: {
    body: { email: 'scientist@example.org', role: 'member' },
    output: { ...invitation, link: null, link_was_shown: false },
  },
});

export const resendInvitation = defineOperation({
  id: 'resend_invitation',
  method: 'POST',
  path: '/organization/invitations/{invitation_id}/resend',
  tag: 'organization',
  summary: 'Send an invitation again',
  description:
    'It gets a new link, valid for seven days; earlier links stop working. Whoever sends it again becomes its sender.',
  effect: 'reversible',
  permission: 'user:create',
  grants: 'membership',
  params: InvitationParams,
  bodyMode: 'optional',
  body: Type.Object({ delivery: Delivery }, strict),
  output: InvitationWithLink,
  shownOnce: 'link',
  failures: ['invitation_not_found', 'invitation_closed', 'invitation_too_soon', 'mail_not_served'],
  example: {
    params: { invitation_id: INVITATION },
    body: {},
    output: { ...invitation, link: null, link_was_shown: false },
  },
});

export const revokeInvitation = defineOperation({
  id: 'revoke_invitation',
  method: 'DELETE',
  path: '/organization/invitations/{invitation_id}',
  tag: 'organization',
  summary: 'Revoke an invitation',
  effect: 'irrevocable',
  permission: 'user:delete',
  params: InvitationParams,
  output: Invitation,
  failures: ['invitation_not_found', 'invitation_closed'],
  example: { params: { invitation_id: INVITATION }, output: { ...invitation, status: 'revoked' as const } },
});

/** Operations of staff on the organizations of clients. */
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
