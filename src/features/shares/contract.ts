/**
 * Operations on links by which anybody reads results without an account.
 * This folder: such links, and the pages behind them. Not here: results themselves (`features/results`).
 */
import { EXAMPLE_ADDRESS } from '#core/example-address.ts';
import { CreatedAt, ExperimentCode, ExperimentId, ExperimentKey, Id } from '#core/fields.ts';
import { defineList, defineMember } from '#core/list-item.ts';
import { ListQuery } from '#core/list-query.ts';
import { ONE_LINE } from '#core/one-line.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid } from '#core/schema.ts';
import { SHARE_LIVES, SHARE_STATES, SHARED_PATH, writeShareState } from './rules.ts';

const TEXT_LENGTH_MAX = 120;

/** Of shares `s`, experiments `e`, sequences `q`, users `u` and members `m`; `$2` is the present time, `$3` the roles that may share. */
export const sharesList = defineList(
  { name: 'shares', key: 'id', defaultSort: '-created_at' },
  {
    id: defineMember(Id, 's.id', '01980000-0000-7000-8000-000000005a01'),
    experiment_id: defineMember(ExperimentId, 's.experiment_id', '01980000-0000-7000-8000-0000000000e1'),
    experiment_code: defineMember(ExperimentCode, 'e.code', 'DEMO-001-001', { search: true }),
    sequence_id: defineMember(
      Nullable(Uuid, { description: 'the sequence whose result is shared; null: all of the experiment' }),
      's.sequence_id',
      null,
    ),
    sequence_name: defineMember(
      Nullable(Type.String(), { description: 'its name; null where all of the experiment is shared' }),
      'q.name',
      null,
      { search: true },
    ),
    title: defineMember(
      Nullable(Type.String(), { description: 'title that readers see; null: the assay and its target' }),
      's.title',
      'Binders of EGFR',
      { search: true },
    ),
    shared_by: defineMember(
      Nullable(Type.String(), { description: 'sender that readers see; null: nobody is named' }),
      's.shared_by',
      'A Scientist',
    ),
    shows_sequences: defineMember(
      Type.Boolean({ description: 'whether readers see amino acids' }),
      's.shows_sequences',
      false,
    ),
    allows_csv: defineMember(
      Type.Boolean({ description: 'whether readers can save values and curves as CSV' }),
      's.allows_csv',
      false,
    ),
    status: defineMember(
      OneOf(SHARE_STATES, {
        description:
          'only an open one can be read; withdrawn: who made it may not share any more, or the token that made it ended',
      }),
      writeShareState('$2::timestamptz', '$3::text[]'),
      'open',
    ),
    made_by: defineMember(
      Type.String({ description: 'e-mail address of who made it' }),
      'u.email',
      'demo@example.org',
    ),
    created_at: defineMember(CreatedAt, 's.created_at', '2026-01-20T09:00:00.000Z'),
    expires_at: defineMember(
      describe(Timestamp, 'UTC time from which it cannot be read any more'),
      's.expires_at',
      '2026-02-19T09:00:00.000Z',
    ),
    revoked_at: defineMember(
      Nullable(Timestamp, { description: 'UTC time when it was revoked; null while it was not' }),
      's.revoked_at',
      null,
    ),
    opened_at: defineMember(
      Nullable(Timestamp, {
        description: 'UTC time when it was last opened, exact to the minute; null before the first',
      }),
      's.opened_at',
      null,
    ),
  },
);

const ShareParams = Type.Object({
  share_id: Type.String({ format: 'uuid', description: '`id` of an item of `list_shares`' }),
});

export const listShares = defineOperation({
  id: 'list_shares',
  method: 'GET',
  path: '/shares',
  tag: 'shares',
  summary: 'List the read-only links of the organization, newest first',
  description: 'The links themselves are shown when they are made, and never again.',
  effect: 'read',
  permission: 'share:list',
  list: sharesList.fields,
  query: ListQuery({ experiment_id: Type.Optional(ExperimentKey) }),
  output: PageOf(sharesList.item),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,open)' },
    output: { items: [sharesList.sample], count: 1, offset: 0, total: 1 },
  },
});

const Words = (description: string) =>
  Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX, pattern: ONE_LINE }), { description }),
  );

export const createShare = defineOperation({
  id: 'create_share',
  method: 'POST',
  path: '/shares',
  tag: 'shares',
  summary: 'Share a result or the results of an experiment by a read-only link',
  description:
    'Exactly one of `experiment_id` and `result_id` is given. Whoever has the link reads the released results, always their present version, without an account, until it expires or is revoked. It shows no code, price or name of an organization. A link that was made with a token ends with it.',
  effect: 'reversible',
  permission: 'share:create',
  alsoNeeds: 'result:read',
  grants: 'share',
  bodyMode: 'required',
  body: Type.Object(
    {
      experiment_id: Type.Optional(
        Nullable(ExperimentKey, { description: 'shares all its released results' }),
      ),
      result_id: Type.Optional(
        Nullable(Uuid, {
          description: 'shares the result of its sequence, in the version that is the present one',
        }),
      ),
      expires_in: Type.Optional(
        OneOf(SHARE_LIVES, { description: 'lifetime from now on; 30d unless stated, at most a year' }),
      ),
      title: Words('title that readers see; null: the assay and its target'),
      shared_by: Words('sender that readers see, such as a person or a company; null: nobody is named'),
      shows_sequences: Type.Optional(
        Type.Boolean({ description: 'whether readers see amino acids; false unless stated' }),
      ),
      allows_csv: Type.Optional(
        Type.Boolean({
          description: 'whether readers can save values and curves as CSV; false unless stated',
        }),
      ),
    },
    strict,
  ),
  output: Type.Object({
    ...sharesList.item.properties,
    link: Nullable(Type.String(), { description: 'the link to hand over; shown this once' }),
    link_was_shown: Type.Boolean({
      description: 'true in the repeat of an answer that had the link; make a new one if that answer is lost',
    }),
  }),
  shownOnce: 'link',
  success: 201,
  failures: [
    'invalid_request',
    'experiment_not_found',
    'result_not_found',
    'results_not_released',
    'too_many_shares',
    'token_restricted',
  ],
  example: {
    body: { experiment_id: 'DEMO-001-001', expires_in: '30d', title: 'Binders of EGFR' },
    output: { ...sharesList.sample, link: `${EXAMPLE_ADDRESS}${SHARED_PATH}/…`, link_was_shown: false },
  },
});

export const revokeShare = defineOperation({
  id: 'revoke_share',
  method: 'DELETE',
  path: '/shares/{share_id}',
  tag: 'shares',
  summary: 'Revoke a read-only link',
  description:
    'It stops working at once. Any member who may share can revoke every link of the organization.',
  effect: 'irrevocable',
  permission: 'share:revoke',
  params: ShareParams,
  output: sharesList.item,
  failures: ['share_not_found'],
  example: {
    params: { share_id: sharesList.sample.id },
    output: { ...sharesList.sample, status: 'revoked' as const, revoked_at: '2026-01-21T09:00:00.000Z' },
  },
});
