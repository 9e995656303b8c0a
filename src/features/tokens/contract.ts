/**
 * This folder: capability tokens: their form, their limits, their lineage. Not here: who holds them
 * (`features/organizations`).
 */
import { ONE_LINE } from '#core/one-line.ts';
import { machineMethods } from '#core/capability.ts';
import { CreatedAt, Id } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { actions, resources, roles } from '#core/permissions.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid, type TSchema } from '#core/schema.ts';
import { LIST_LENGTH_MAX } from './attenuation.ts';
import { tokenFields } from './list-fields.ts';

const TokenId = describe(Uuid, 'id for `revoke_token_by_id`; not the secret value');

export const TokenListItem = Type.Object({
  id: TokenId,
  name: Type.String({ description: 'name given at its creation' }),
  kind: OneOf(['root', 'attenuated'], { description: 'a root token, or one derived from another token' }),
  token_type: Type.Optional(Nullable(Type.String(), { description: 'user; no other type is issued' })),
  role: Type.String({
    description: 'its rights before any restriction: see `role` of `create_token`',
  }),
  created_at: CreatedAt,
  expires_at: Type.Optional(Nullable(Timestamp, { description: 'UTC; null: it does not expire by itself' })),
  revoked_at: Type.Optional(
    Nullable(Timestamp, {
      description: 'UTC time when it or an ancestor was revoked; null while it is valid',
    }),
  ),
  last_used_at: Type.Optional(
    Nullable(Timestamp, {
      description: 'UTC time of its last request, exact to the minute; null before the first',
    }),
  ),
  parent_token_id: Type.Optional(
    Nullable(Uuid, { description: 'the token it was derived from; null for a root' }),
  ),
  root_token_id: Type.Optional(
    Nullable(Uuid, { description: 'first token of its line; its own id for a root' }),
  ),
  attenuation_spec: Type.Optional(
    Nullable(Type.Unknown(), { description: 'the limits that its derivation added; null for a root' }),
  ),
  user_id: Type.Optional(describe(Uuid, 'the person it acts for')),
  organization_id: Type.Optional(describe(Uuid, 'the organization it acts in')),
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
  last_used_at: '2026-01-21T16:20:00.000Z',
  parent_token_id: null,
  root_token_id: '01980000-0000-7000-8000-000000000a01',
  attenuation_spec: null,
  user_id: '01980000-0000-7000-8000-000000000b02',
  organization_id: '01980000-0000-7000-8000-0000000000b1',
};

const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: ONE_LINE,
  description: 'for people, to tell tokens apart',
});
const MaxSpend = Type.Optional(
  Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), {
    description: 'US cents that it and its descendants may commit to in total; null: no limit',
  }),
);
const Value = Type.String({ description: 'the secret, for the Authorization header; shown this once' });
const ID = '01980000-0000-7000-8000-000000000a02';
const VALUE = 'asy_test_…';

function AllowList<Item extends TSchema>(item: Item, description: string) {
  return Type.Optional(
    Nullable(Type.Array(item, { minItems: 1, maxItems: LIST_LENGTH_MAX }), { description }),
  );
}

export const MachinePaymentPolicy = Type.Object(
  {
    methods: Type.Array(OneOf(machineMethods), {
      minItems: 1,
      maxItems: 2,
      description: 'payment rails it may use; the first where a request names none',
    }),
    max_spend_cents: MaxSpend,
  },
  strict,
);

export const AttenuationSpec = Type.Object(
  {
    read_only: Type.Optional(Type.Boolean({ description: 'true: only the actions list and read' })),
    non_destructive: Type.Optional(Type.Boolean({ description: 'true: every action but delete' })),
    allowed_actions: AllowList(
      OneOf(actions),
      'only these actions, if the parent has them; null: as the parent',
    ),
    allowed_resources: AllowList(
      OneOf(resources),
      'only these resources, if the parent has them; null: as the parent',
    ),
    allowed_org_ids: AllowList(Uuid, 'only within these organizations; null: as the parent'),
    expires_at: Type.Optional(Nullable(Timestamp, { description: 'UTC; null: the end of the parent' })),
    max_spend_cents: MaxSpend,
    resource_ids: AllowList(
      Type.String({ minLength: 1, maxLength: 64 }),
      'only these experiments, by id or code; null: as the parent',
    ),
    payment_policy: Type.Optional(
      Nullable(MachinePaymentPolicy, {
        description:
          'how it pays by itself, within the policy of the parent where that has one; null: as the parent',
      }),
    ),
  },
  { ...strict, description: 'absent and null set no limit' },
);

export const AttenuateTokenRequest = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 8_192,
      description: 'value of the token to derive from; it must be yours',
    }),
    name: Name,
    attenuation: describe(
      AttenuationSpec,
      'limits in addition to those of the parent; absent and null set none',
    ),
    attenuated_parent_token_id: Type.Optional(
      Nullable(Uuid, {
        description: 'id that `token` must have; null: not checked',
      }),
    ),
  },
  strict,
);

export const AttenuateTokenResponse = Type.Object({ id: TokenId, token: Value });

export const attenuateToken = defineOperation({
  id: 'attenuate_token',
  method: 'POST',
  path: '/tokens/attenuate',
  tag: 'tokens',
  summary: 'Derive a token with fewer rights',
  description:
    'The new token has the rights of its parent, less every limit given here. It ends with its parent at the latest. A restricted token can derive only from itself and its descendants. The value is shown once.',
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
    'The role may not exceed your own, and a restricted token cannot create another. A token that was created with another token ends with it, by time (`expires_at` says when) and by revocation. The value is shown once.',
  effect: 'reversible',
  permission: 'token:issue',
  grants: 'token',
  bodyMode: 'required',
  body: Type.Object(
    {
      name: Name,
      role: OneOf(roles, { description: 'role of the token; never more than your own role' }),
      expires_in: OneOf(['7d', '30d', '90d', '1y'], {
        description: 'lifetime from now on, in days or a year',
      }),
      payment_policy: Type.Optional(
        Nullable(MachinePaymentPolicy, {
          description: 'lets a program pay by itself; null: it pays as people do',
        }),
      ),
    },
    strict,
  ),
  output: Type.Object({
    id: TokenId,
    token: Value,
    name: Type.String({ description: 'as it was given' }),
    role: OneOf(roles, { description: 'role of the token' }),
    expires_at: describe(Timestamp, 'UTC; no later than the end of the token that created it'),
  }),
  success: 201,
  failures: ['token_restricted', 'token_role_exceeded'],
  example: {
    body: { name: 'Design pipeline', role: 'member', expires_in: '90d' },
    output: { id: ID, token: VALUE, name: 'Design pipeline', role: 'member', expires_at: listed.expires_at },
  },
});

export const RevokeTokenResponse = Type.Object({
  token_id: describe(Uuid, 'the topmost one that is revoked'),
  revoked_at: describe(Timestamp, 'UTC time of the first revocation'),
  children_revoked: Type.Integer({
    minimum: 0,
    description: 'number of descendants that were valid until now',
  }),
});

export const revokeTokenById = defineOperation({
  id: 'revoke_token_by_id',
  method: 'POST',
  path: '/tokens/{token_id}/revoke',
  tag: 'tokens',
  summary: 'Revoke one token and everything below it',
  description:
    'Revokes one of your own tokens; administrators of the organization may revoke any of its tokens. A limited token can revoke only itself and its descendants.',
  effect: 'irrevocable',
  permission: 'token:revoke',
  isOpenToLimitedTokens: true,
  params: Type.Object({
    token_id: Type.String({ format: 'uuid', description: '`id` of an item of `list_tokens`' }),
  }),
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
  description: 'Staff of the lab who appoint others see the tokens of everybody.',
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
    'A token that is limited in spending, time, resources or actions revokes itself and its descendants, never its root. A repeat, even with the revoked token, returns the first time and no children.',
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

export const CallingToken = Type.Object({
  id: TokenId,
  kind: OneOf(['root', 'attenuated'], {
    description: 'a root token, or one with limits: derived from another, or of a program let in by a person',
  }),
  role: Type.String({ description: 'its rights before any restriction' }),
  restrictions: Type.Array(AttenuationSpec, {
    description: 'each step of its restriction, from the root down; all of them hold',
  }),
  max_spend_cents: Type.Optional(
    Nullable(Type.Integer(), {
      description: 'US cents; the smallest limit of it and its ancestors; null: no limit',
    }),
  ),
  spent_cents: Type.Integer({
    description:
      'US cents that it and its descendants have committed to by accepting quotes and paying invoices',
  }),
  remaining_cents: Type.Optional(
    Nullable(Type.Integer(), {
      description:
        'US cents that it may still commit to, after what its ancestors have spent; null: no limit',
    }),
  ),
  resource_ids: Type.Optional(
    Nullable(Type.Array(Type.String()), {
      description: 'the only experiments it may touch, by id or code; null: every one',
    }),
  ),
  payment_policy: Type.Optional(
    Nullable(MachinePaymentPolicy, { description: 'how it pays by itself; null: as people do' }),
  ),
});

export const identifyCaller = defineOperation({
  id: 'whoami',
  method: 'GET',
  path: '/whoami',
  tag: 'tokens',
  summary: 'Read the person, the organizations, the permissions and the limits of the token',
  effect: 'read',
  permission: 'any',
  output: Type.Object({
    user_id: Type.Optional(Nullable(Uuid, { description: 'the person the token acts for' })),
    active_organization_id: Type.Optional(
      Nullable(Uuid, { description: 'the organization whose data requests read and change' }),
    ),
    organizations: Type.Array(
      Type.Object({
        id: Id,
        name: Type.String({ description: 'for people' }),
        role: Type.Optional(
          Nullable(Type.String(), {
            description: 'role of the person there, whatever the rights of the token',
          }),
        ),
        active: Type.Boolean({ description: 'whether requests of this token act in this organization' }),
      }),
      { description: 'organizations of the person; a restricted token sees only its own' },
    ),
    permissions: Type.Array(Type.String(), {
      description: 'permissions of the token, as `resource:action`, sorted',
    }),
    token_expires_at: Type.Optional(
      Nullable(Timestamp, { description: 'UTC; null: it does not expire by itself' }),
    ),
    token: describe(CallingToken, 'what the calling token may still do'),
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
      token: {
        id: ID,
        kind: 'attenuated',
        role: 'member',
        restrictions: [{ max_spend_cents: 50_000, resource_ids: ['DEMO-001-001'] }],
        max_spend_cents: 50_000,
        spent_cents: 12_000,
        remaining_cents: 38_000,
        resource_ids: ['DEMO-001-001'],
        payment_policy: null,
      },
    },
  },
});
