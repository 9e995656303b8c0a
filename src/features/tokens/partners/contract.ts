/**
 * Operations of partners. Only holders of a partner's token see their descriptions.
 * This folder: partners, who mint tokens for their users. Not here: tokens of clients (`domain/tokens`).
 */
import { roles } from '#core/permissions.ts';
import { defineOperation } from '#core/operation.ts';
import { describe, OneOf, strict, Timestamp, Type, Uuid, type Static } from '#core/schema.ts';

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
