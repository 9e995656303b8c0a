/** The operations of jobs, each with what carries it out. */
import { bindLabList, bindWrite, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import { listJobsPage, lockJob, resumeJob } from './store.ts';
import { fail } from '#core/failures.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';

export const jobsOperations: readonly Binding[] = [
  bindLabList(contract.listJobs, ({ scope, sql }, query) => listJobsPage(scope, sql, query)),
  bindWrite(contract.retryJob, retryJob),
];

/** `POST /lab/jobs/{job_id}/retry`: the audit trail of the installation has it, because clients know of no jobs. */
async function retryJob(input: Input<typeof contract.retryJob>, context: WriteContext) {
  const { tx, clock } = context;
  const { job_id: id } = input.params;
  context.setAuditOrganization(INSTALLATION_ID);
  const job = await lockJob(labScope, tx, id);
  if (job === undefined) throw fail('job_not_found');
  const { status, kind, experiment_code: experiment } = job;
  if (status !== 'failed') throw fail('job_not_failed', { status });
  context.addAuditDetails({ kind, experiment, last_error: job.last_error });
  const now = clock.now();
  if (!(await resumeJob(tx, id, now))) throw fail('job_not_failed', { status: 'replaced by a newer one' });
  return { ...job, status: 'waiting' as const, attempts: 0, next_at: now.toISOString(), failed_at: null };
}
