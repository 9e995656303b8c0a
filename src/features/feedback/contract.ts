/**
 * This folder: what clients write to the lab. Not here: answers to it.
 */
import { CreatedAt, OrganizationName, Id, defineTextUpTo } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, strict, Type, Uuid, type Static } from '#core/schema.ts';
import { feedbackFields } from './list-fields.ts';

export const FeedbackType = OneOf(['feature_request', 'feedback', 'bug_report'], {
  description: 'kind of feedback: a request, an opinion, or a bug',
});

const REQUEST_ID = '^(?:[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|req_[0-9A-Za-z_-]{1,100})$';
const TITLE_LENGTH_MAX = 200;
const NOTE_LENGTH_MAX = 20_000;
const JSON_MEMBERS_MAX = 1_000;

export const SubmitFeedbackRequest = Type.Object(
  {
    feedback_type: describe(FeedbackType, 'kind of feedback: a request, an opinion, or a bug'),
    request_uuid: Type.String({
      pattern: REQUEST_ID,
      description: 'a UUID, or the `request_id` of an answer (req_…): the request that this is about',
    }),
    title: defineTextUpTo(TITLE_LENGTH_MAX, 'short title'),
    human_note: defineTextUpTo(NOTE_LENGTH_MAX, 'text by a person'),
    json_body: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>> | null>({
        type: ['object', 'null'],
        maxProperties: JSON_MEMBERS_MAX,
        additionalProperties: true,
        description: 'data by a program, such as the request that failed; at most 64 KiB',
      }),
    ),
  },
  strict,
);
export type SubmitFeedbackRequest = Static<typeof SubmitFeedbackRequest>;

export const SubmitFeedbackResponse = Type.Object({
  message: Type.String({ description: 'a sentence for a person' }),
  reference: Type.String({ description: 'reference to the feedback when you write to the lab' }),
});

export const FeedbackItem = Type.Object({
  id: Id,
  reference: Type.String({ description: 'reference that the client received' }),
  feedback_type: describe(FeedbackType, 'kind of feedback: a request, an opinion, or a bug'),
  title: Nullable(Type.String(), { description: 'short title; null without one' }),
  human_note: Nullable(Type.String(), { description: 'text by a person; null without any' }),
  json_body: Nullable(Type.Object({}, { additionalProperties: true }), {
    description: 'data by a program; null without any',
  }),
  request_uuid: Type.String({ description: 'the request that it is about: a UUID, or an id such as req_…' }),
  organization_id: describe(Uuid, 'organization of the sender'),
  organization_name: OrganizationName,
  user_email: Type.String({ description: 'e-mail address of the sender, for an answer' }),
  created_at: CreatedAt,
});

const submitted = {
  feedback_type: 'bug_report' as const,
  request_uuid: '7c0d8a56-0f7b-4c0e-9a55-51b1cf2d5a01',
  title: 'The plot of a non-binder has no axis',
  human_note: 'Seen on result 3 of DEMO-001-001.',
  json_body: { result_id: '01980000-0000-7000-8000-000000000e01' },
};
const reference = 'FB-9A4C01D27E';

export const submitFeedback = defineOperation({
  id: 'submit_feedback',
  method: 'POST',
  path: '/feedback/submit',
  tag: 'feedback',
  summary: 'Send feedback to the lab',
  description:
    'At least one of `title`, `human_note` and `json_body` has content. A body that is equal to an earlier one is a repeat and answers with its reference.',
  effect: 'reversible',
  permission: 'feedback:create',
  bodyMode: 'required',
  body: SubmitFeedbackRequest,
  success: 201,
  output: SubmitFeedbackResponse,
  failures: ['invalid_request'],
  example: {
    body: submitted,
    output: { message: 'Thank you. The lab reads every feedback.', reference },
  },
});

export const listFeedback = defineOperation({
  id: 'list_feedback',
  method: 'GET',
  path: '/lab/feedback',
  tag: 'feedback',
  summary: 'List the feedback of clients',
  effect: 'read',
  permission: 'lab:read',
  list: feedbackFields,
  query: ListQuery({}),
  output: PageOf(FeedbackItem),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(feedback_type,bug_report)' },
    output: {
      items: [
        {
          ...submitted,
          id: '01980000-0000-7000-8000-000000000f01',
          reference,
          organization_id: '01980000-0000-7000-8000-0000000000b1',
          organization_name: 'Demo organization',
          user_email: 'demo@example.org',
          created_at: '2026-01-20T09:00:00.000Z',
        },
      ],
      count: 1,
      offset: 0,
      total: 1,
    },
  },
});
