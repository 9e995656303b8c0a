/** Operations with which staff see what the background worker could not do, and have it tried again. */
import { CreatedAt } from '#core/fields.ts';
import { ListQuery } from '#core/list-query.ts';
import { defineOperation } from '#core/operation.ts';
import { PageOf } from '#core/page.ts';
import { describe, Nullable, OneOf, strict, Timestamp, Type, Uuid } from '#core/schema.ts';
import { jobFields } from './list-fields.ts';
import { jobStatuses } from './rules.ts';

const Job = Type.Object({
  id: Type.String({ description: 'for `retry_job`; a number, written as a text' }),
  kind: Type.String({ description: 'what has to be done, such as analyze_experiment' }),
  status: OneOf(jobStatuses, {
    description: 'waiting for its time, running in a worker, or given up after too many attempts',
  }),
  organization_id: Nullable(Uuid, { description: 'whose it is; null for the installation' }),
  organization_name: Nullable(Type.String(), { description: 'current name; null for the installation' }),
  experiment_code: Nullable(Type.String(), { description: 'order that it is about; null without one' }),
  attempts: Type.Integer({ description: 'attempts so far' }),
  last_error: Nullable(Type.String(), { description: 'why the last attempt failed; null when none did' }),
  created_at: CreatedAt,
  next_at: describe(Timestamp, 'UTC time of the next attempt, unless it was given up'),
  failed_at: Nullable(Timestamp, { description: 'UTC time when it was given up; null before that' }),
});

const job = {
  id: '41',
  kind: 'analyze_experiment',
  status: 'failed' as const,
  organization_id: '01980000-0000-7000-8000-0000000000b1',
  organization_name: 'Demo organization',
  experiment_code: 'DEMO-001-001',
  attempts: 8,
  last_error: 'The worker thread ran out of memory.',
  created_at: '2026-03-02T09:00:00.000Z',
  next_at: '2026-03-02T09:04:00.000Z',
  failed_at: '2026-03-02T09:04:00.000Z',
};

export const listJobs = defineOperation({
  id: 'list_jobs',
  method: 'GET',
  path: '/lab/jobs',
  tag: 'lab-health',
  summary: 'List the unfinished jobs of the background worker, newest first',
  effect: 'read',
  permission: 'lab:read',
  list: jobFields,
  query: ListQuery({}),
  output: PageOf(Job),
  failures: ['invalid_query'],
  example: {
    query: { filter: 'eq(status,failed)' },
    output: { items: [job], count: 1, offset: 0, total: 1 },
  },
});

export const retryJob = defineOperation({
  id: 'retry_job',
  method: 'POST',
  path: '/lab/jobs/{job_id}/retry',
  tag: 'lab-health',
  summary: 'Try a job again that was given up; it is due at once, with all its attempts',
  effect: 'reversible',
  permission: 'lab:review',
  params: Type.Object({
    job_id: Type.String({ pattern: '^[1-9][0-9]{0,14}$', description: '`id` of an item of `list_jobs`' }),
  }),
  bodyMode: 'optional',
  body: Type.Object({}, strict),
  output: Job,
  failures: ['job_not_found', 'job_not_failed'],
  example: {
    params: { job_id: '41' },
    body: {},
    output: { ...job, status: 'waiting', attempts: 0, failed_at: null },
  },
});
