import { machineMethods } from '#core/capability.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { actions, resources, roles } from '#core/permissions.ts';
import { Nullable, OneOf, strict, Timestamp, Type, Uuid, type TSchema } from '#core/schema.ts';
import { LIST_LENGTH_MAX } from './attenuation.ts';
import { tokenFields } from './list-fields.ts';

export const TokenListItem = Type.Object({
  id: Uuid,
  name: Type.String(),
  kind: OneOf(['root', 'attenuated']),
  token_type: Type.Optional(Nullable(Type.String())),
  role: Type.String(),
  created_at: Timestamp,
  expires_at: Type.Optional(Nullable(Timestamp)),
  revoked_at: Type.Optional(Nullable(Timestamp)),
  parent_token_id: Type.Optional(Nullable(Uuid)),
  root_token_id: Type.Optional(Nullable(Uuid)),
  attenuation_spec: Type.Optional(Nullable(Type.Unknown())),
  user_id: Type.Optional(Uuid),
  organization_id: Type.Optional(Uuid),
});

const listed = {
  id: '01980000-0000-7000-8000-000000000a01',
  name: 'Design pipeline',
  kind: 'root' as const,
  token_type: 'user',
  role: 'member',
  created_at: '2026-01-20T09:00:00.000Z',
  expires_at: '2026-04-20T09:00:00.000Z',
  revoked_at: null,
  parent_token_id: null,
  root_token_id: '01980000-0000-7000-8000-000000000a01',
  attenuation_spec: null,
  user_id: '01980000-0000-7000-8000-000000000b02',
  organization_id: '01980000-0000-7000-8000-0000000000b1',
};

const Name = Type.String({ minLength: 1, maxLength: 200 });
const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const ID = '01980000-0000-7000-8000-000000000a02';
const VALUE = 'asy_test_…';

function AllowList<Item extends TSchema>(item: Item, description: string) {
  return Type.Optional(Nullable(Type.Array(item, { minItems: 1, maxItems: LIST_LENGTH_MAX, description })));
}

export const AttenuationSpec = Type.Object(
  {
    read_only: Type.Optional(Type.Boolean({ description: 'Only the actions list and read.' })),
    non_destructive: Type.Optional(Type.Boolean({ description: 'Every action but delete.' })),
    allowed_actions: AllowList(OneOf(actions), 'Only these actions.'),
    allowed_resources: AllowList(OneOf(resources), 'Only these resources.'),
    allowed_org_ids: AllowList(Uuid, 'Only within these organizations.'),
    expires_at: Type.Optional(Nullable(Timestamp)),
    max_spend_cents: Type.Optional(Nullable(Amount)),
    resource_ids: AllowList(
      Type.String({ minLength: 1, maxLength: 64 }),
      'Only these experiments, by id or code.',
    ),
  },
  { ...strict, description: 'Absent and null set no limit.' },
);

export const AttenuateTokenRequest = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 8_192, description: 'The token to derive from; yours.' }),
    name: Name,
    attenuation: AttenuationSpec,
    attenuated_parent_token_id: Type.Optional(Nullable(Uuid)),
  },
  strict,
);

export const AttenuateTokenResponse = Type.Object({ id: Uuid, token: Type.String() });

export const MachinePaymentPolicy = Type.Object(
  {
    methods: Type.Array(OneOf(machineMethods), { minItems: 1, maxItems: 2 }),
    max_spend_cents: Type.Optional(Nullable(Amount)),
  },
  strict,
);

export const attenuateToken = defineOperation({
  id: 'attenuate_token',
  method: 'POST',
  path: '/tokens/attenuate',
  tag: 'tokens',
  summary: 'Derive a token that may do less',
  description:
    'The new token may do what its parent may, and every limit given here on top. It ends with its parent at the latest. A restricted token derives from itself and its descendants alone. The value is shown once.',
  effect: 'reversible',
  permission: 'token:read',
  isOpenToLimitedTokens: true,
  grants: 'attenuation',
  bodyMode: 'required',
  body: AttenuateTokenRequest,
  output: AttenuateTokenResponse,
  success: 201,
  failures: ['invalid_attenuation', 'token_restricted'],
  example: {
    body: { token: VALUE, name: 'Reads only', attenuation: { read_only: true } },
    output: { id: ID, token: VALUE },
  },
});

export const createToken = defineOperation({
  id: 'create_token',
  method: 'POST',
  path: '/tokens',
  tag: 'tokens',
  summary: 'Create a token of your own',
  description:
    'The role may not exceed your own, and a restricted token cannot create another. A token made with a token ends with it, by time (`expires_at` says when) and by revocation. The value is shown once.',
  effect: 'reversible',
  permission: 'token:issue',
  grants: 'token',
  bodyMode: 'required',
  body: Type.Object(
    {
      name: Name,
      role: OneOf(roles),
      expires_in: OneOf(['7d', '30d', '90d', '1y']),
      payment_policy: Type.Optional(Nullable(MachinePaymentPolicy)),
    },
    strict,
  ),
  output: Type.Object({
    id: Uuid,
    token: Type.String(),
    name: Type.String(),
    role: OneOf(roles),
    expires_at: Timestamp,
  }),
  success: 201,
  failures: ['token_restricted', 'token_role_exceeded'],
  example: {
    body: { name: 'Design pipeline', role: 'member', expires_in: '90d' },
    output: { id: ID, token: VALUE, name: 'Design pipeline', role: 'member', expires_at: listed.expires_at },
  },
});

export const RevokeTokenResponse = Type.Object({
  token_id: Uuid,
  revoked_at: Timestamp,
  children_revoked: Type.Integer({ minimum: 0 }),
});

export const revokeOneToken = defineOperation({
  id: 'revoke_one_token',
  method: 'POST',
  path: '/tokens/{token_id}/revoke',
  tag: 'tokens',
  summary: 'Revoke one token and everything below it',
  description:
    'One of your own; administrators of the organization may revoke any of its tokens. A token that is limited finds itself and what is below it alone.',
  effect: 'irrevocable',
  permission: 'token:revoke',
  isOpenToLimitedTokens: true,
  params: Type.Object({ token_id: Type.String({ format: 'uuid', description: 'Id of the token.' }) }),
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

export const listTokens = defineOperation({
  id: 'list_tokens',
  method: 'GET',
  path: '/tokens',
  tag: 'tokens',
  summary: 'List your own tokens with their lineage',
  description: 'The lab’s own administrators see the tokens of everybody.',
  effect: 'read',
  permission: 'token:list',
  list: tokenFields,
  query: ListQuery({}),
  output: PageOf(TokenListItem),
  failures: ['invalid_query'],
  example: { query: { limit: 20 }, output: { items: [listed], count: 1, offset: 0, total: 1 } },
});

export const revokeToken = defineOperation({
  id: 'revoke_token',
  method: 'POST',
  path: '/tokens/revoke',
  tag: 'tokens',
  summary: 'Revoke the root of the calling token and everything below it',
  description:
    'A token that is limited in spending, time, resources or actions revokes itself and what is below it, never its root. Repeating it answers the first time and no children, with the revoked token too.',
  effect: 'irrevocable',
  permission: 'token:revoke',
  isOpenToLimitedTokens: true,
  acceptsRevoked: true,
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: RevokeTokenResponse,
  failures: [],
  example: {
    body: {},
    output: { token_id: listed.id, revoked_at: '2026-01-21T09:00:00.000Z', children_revoked: 0 },
  },
});

export const identifyCaller = defineOperation({
  id: 'whoami',
  method: 'GET',
  path: '/whoami',
  tag: 'tokens',
  summary: 'Who the token speaks for, and what it may do',
  effect: 'read',
  permission: 'any',
  output: Type.Object({
    user_id: Type.Optional(Nullable(Uuid)),
    active_organization_id: Type.Optional(Nullable(Uuid)),
    organizations: Type.Array(
      Type.Object({
        id: Uuid,
        name: Type.String(),
        role: Type.Optional(Nullable(Type.String())),
        active: Type.Boolean(),
      }),
    ),
    permissions: Type.Array(Type.String()),
    token_expires_at: Type.Optional(Nullable(Timestamp)),
  }),
  failures: [],
  example: {
    output: {
      user_id: '01980000-0000-7000-8000-000000000b02',
      active_organization_id: '01980000-0000-7000-8000-0000000000b1',
      organizations: [
        {
          id: '01980000-0000-7000-8000-0000000000b1',
          name: 'Demo organization',
          role: 'admin',
          active: true,
        },
      ],
      permissions: ['experiment:create', 'experiment:read'],
      token_expires_at: null,
    },
  },
});
