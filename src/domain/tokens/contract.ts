import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { Nullable, OneOf, strict, Timestamp, Type, Uuid } from '#core/schema.ts';

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
};

export const listTokens = defineOperation({
  id: 'list_tokens',
  method: 'GET',
  path: '/tokens',
  tag: 'tokens',
  summary: 'List your own tokens with their lineage',
  permission: 'token:list',
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
  summary: 'Revoke the root of the calling token and everything derived from it',
  permission: 'token:revoke',
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: Type.Object({
    token_id: Uuid,
    revoked_at: Timestamp,
    children_revoked: Type.Integer({ minimum: 0 }),
  }),
  failures: [],
  example: {
    body: {},
    output: { token_id: listed.id, revoked_at: '2026-01-21T09:00:00.000Z', children_revoked: 0 },
  },
});

export const whoami = defineOperation({
  id: 'whoami',
  method: 'GET',
  path: '/whoami',
  tag: 'tokens',
  summary: 'Who the token speaks for, and what it may do',
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
