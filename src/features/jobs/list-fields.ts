/** Fields by which the list of jobs can be filtered, sorted and searched. */
import { listFields } from '#core/filter/index.ts';
import { jobStatuses } from './rules.ts';

export const JOB_STATUS = `case when j.failed_at is not null then 'failed'
    when j.lease_until is not null then 'running' else 'waiting' end`;

export const jobFields = listFields({
  name: 'jobs',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'text', sql: 'j.id::text' },
    kind: { kind: 'text', sql: 'j.kind', search: true },
    status: { kind: 'enum', sql: JOB_STATUS, values: jobStatuses },
    organization_id: { kind: 'uuid', sql: 'j.organization_id', nullable: true },
    organization_name: { kind: 'text', sql: 'o.name', nullable: true, search: true },
    experiment_code: { kind: 'text', sql: 'e.code', nullable: true, search: true },
    attempts: { kind: 'int', sql: 'j.attempts' },
    created_at: { kind: 'timestamp', sql: 'j.created_at' },
    next_at: { kind: 'timestamp', sql: 'j.next_at' },
    failed_at: { kind: 'timestamp', sql: 'j.failed_at', nullable: true },
  },
});
