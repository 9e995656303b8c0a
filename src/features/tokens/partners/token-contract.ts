/** Operations over the tokens that a partner minted. */
import { CreatedAt, OrganizationId, OrganizationName } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { roles } from '#core/permissions.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid } from '#core/schema.ts';
import { RevokeTokenResponse } from '../contract.ts';
import { MintTokenResponse } from './contract.ts';
import { partnerTokenFields } from './list-fields.ts';

export const PartnerTokenListItem = Type.Object({
  id: describe(Uuid, 'for `renew_partner_token` and `revoke_partner_token`; not the secret value'),
  name: Type.String({ description: 'name given when it was minted' }),
  role: OneOf(roles, { description: 'role of the token' }),
  user_id: describe(Uuid, 'the person it acts for'),
  user_email: Type.String({ description: 'address of that person' }),
  organization_id: OrganizationId,
  organization_name: OrganizationName,
  created_at: CreatedAt,
  expires_at: Type.Optional(Nullable(Timestamp, { description: 'end of the token, UTC' })),
  revoked_at: Type.Optional(
    Nullable(Timestamp, { description: 'UTC time when it was revoked or renewed; null while it is valid' }),
  ),
  renewed_by: Type.Optional(
    Nullable(Uuid, { description: 'the token that replaced it; null unless it was renewed' }),
  ),
});

const ID = '01980000-0000-7000-8000-000000000a02';
const RENEWED = '01980000-0000-7000-8000-000000000a03';
const PartnerTokenParams = Type.Object({
  token_id: Type.String({ format: 'uuid', description: '`id` of an item of `list_partner_tokens`' }),
});

export const listPartnerTokens = defineOperation({
  id: 'list_partner_tokens',
  method: 'GET',
  path: '/partners/tokens',
  tag: 'partners',
  summary: 'List the tokens that you have minted, newest first',
  effect: 'read',
  permission: 'partner:list',
  list: partnerTokenFields,
  query: ListQuery({}),
  output: PageOf(PartnerTokenListItem),
  failures: ['invalid_query'],
  example: {
    query: { limit: 20 },
    output: {
      items: [
        {
          id: ID,
          name: 'From DEMO',
          role: 'member',
          user_id: '01980000-0000-7000-8000-000000000b03',
          user_email: 'scientist@client.example',
          organization_id: '01980000-0000-7000-8000-0000000000b2',
          organization_name: 'Client Biologics',
          created_at: '2026-01-20T09:00:00.000Z',
          expires_at: '2026-04-20T09:00:00.000Z',
          revoked_at: null,
          renewed_by: null,
        },
      ],
      count: 1,
      offset: 0,
      total: 1,
    },
  },
});

export const renewPartnerToken = defineOperation({
  id: 'renew_partner_token',
  method: 'POST',
  path: '/partners/tokens/{token_id}/renew',
  tag: 'partners',
  summary: 'Replace a token that you have minted by a new one',
  description:
    'The new token is for the same user, organization and role. The old one, and whatever was derived from it or made with it, is revoked at once. A token that has expired or was revoked can be renewed as well, each once. The value is shown once.',
  effect: 'irrevocable',
  permission: 'partner:mint_token',
  grants: 'client',
  params: PartnerTokenParams,
  bodyMode: 'optional',
  body: Type.Object(
    {
      expires_at: Type.Optional(
        Nullable(Type.String({ format: 'date-time' }), {
          description: 'end of the new token, at most one year away; null: 90 days',
        }),
      ),
    },
    strict,
  ),
  success: 201,
  output: MintTokenResponse,
  failures: [
    'invalid_request',
    'token_not_found',
    'token_renewed_already',
    'token_holder_left',
    'token_restricted',
  ],
  example: {
    params: { token_id: ID },
    body: { expires_at: '2026-12-31T00:00:00Z' },
    output: {
      token: 'asy_test_…',
      token_id: RENEWED,
      user_id: '01980000-0000-7000-8000-000000000b03',
      organization_id: '01980000-0000-7000-8000-0000000000b2',
      expires_at: '2026-12-31T00:00:00.000Z',
    },
  },
});

export const revokePartnerToken = defineOperation({
  id: 'revoke_partner_token',
  method: 'POST',
  path: '/partners/tokens/{token_id}/revoke',
  tag: 'partners',
  summary: 'Revoke a token that you have minted, and everything below it',
  description: 'A repeat returns the first time and no children.',
  effect: 'irrevocable',
  permission: 'partner:revoke',
  params: PartnerTokenParams,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: RevokeTokenResponse,
  failures: ['token_not_found'],
  example: {
    params: { token_id: ID },
    body: {},
    output: { token_id: ID, revoked_at: '2026-01-21T09:00:00.000Z', children_revoked: 0 },
  },
});
