/**
 * Operations of partners. Only holders of a partner's token see their descriptions.
 * This folder: partners, who mint tokens for their users. Not here: tokens of clients (`features/tokens`).
 */
import { roles } from '#core/permissions.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, OneOf, strict, Timestamp, Type, Uuid, type Static, Nullable } from '#core/schema.ts';
import { CreatedAt, OrganizationId, OrganizationName } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { PageOf } from '#core/page.ts';
import { RevokeTokenResponse } from '../contract.ts';
import { partnerTokenFields } from './list-fields.ts';

const NAME_LENGTH_MAX = 200;
const EMAIL_LENGTH_MAX = 254;

const NewOrg = Type.Object(
  {
    type: Type.Literal('new_org', { description: 'creates the organization' }),
    name: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX, description: 'name for people' }),
    domain: Type.Optional(
      Type.String({ maxLength: EMAIL_LENGTH_MAX, description: 'such as client.example' }),
    ),
  },
  strict,
);
const ExistingOrg = Type.Object(
  {
    type: Type.Literal('existing_org', { description: 'adds the user to this organization' }),
    organization_id: Type.String({ format: 'uuid', description: 'an organization that you have created' }),
  },
  strict,
);

export const MintTokenRequest = Type.Object(
  {
    org: Type.Union([NewOrg, ExistingOrg], { description: 'the organization of the new user' }),
    user: Type.Object(
      {
        email: Type.String({
          minLength: 3,
          maxLength: EMAIL_LENGTH_MAX,
          description: 'address that no user has yet',
        }),
        name: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX, description: 'name of the person' })),
      },
      { ...strict, description: 'the person whom the token acts for' },
    ),
    role: Type.Optional(OneOf(roles, { description: 'role of the user and of the token; default member' })),
    expires_at: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'end of the token, at most one year away; default 90 days',
      }),
    ),
  },
  strict,
);
export type MintTokenRequest = Static<typeof MintTokenRequest>;

export const MintTokenResponse = Type.Object({
  token: Type.String({ description: 'the secret, for the Authorization header; shown this once' }),
  token_id: describe(Uuid, 'id for revoking the token'),
  user_id: describe(Uuid, 'the new user'),
  organization_id: describe(Uuid, 'the new organization, or the one that was named'),
  expires_at: describe(Timestamp, 'end of the token, UTC'),
});

export const mintToken = defineOperation({
  id: 'mint_token',
  method: 'POST',
  path: '/partners/mint-token',
  tag: 'partners',
  summary:
    'Create a user, in a new organization or in one you have created, and the first token of that user',
  effect: 'irrevocable',
  permission: 'partner:mint_token',
  grants: 'client',
  bodyMode: 'required',
  body: MintTokenRequest,
  success: 201,
  output: MintTokenResponse,
  failures: ['invalid_request', 'organization_not_found', 'token_restricted', 'user_already_exists'],
  example: {
    body: {
      org: { type: 'new_org', name: 'Client Biologics', domain: 'client.example' },
      user: { email: 'scientist@client.example', name: 'A Scientist' },
      role: 'member',
    },
    output: {
      token: 'asy_test_…',
      token_id: '01980000-0000-7000-8000-000000000a02',
      user_id: '01980000-0000-7000-8000-000000000b03',
      organization_id: '01980000-0000-7000-8000-0000000000b2',
      expires_at: '2026-04-20T09:00:00.000Z',
    },
  },
});

/** Operations over the tokens that a partner minted. */

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
