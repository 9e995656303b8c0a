import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import type { Input } from '#core/operation.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { INSTALLATION_ID } from '../../audit/rules.ts';
import type { allowUnpaidRun as operation } from './unpaid-contract.ts';
import { putUnpaidRelease } from './unpaid-store.ts';
import { holdExperiment } from './lab-step.ts';

const STATES: ReadonlySet<ExperimentStatus> = new Set(['waiting_for_materials', 'in_queue']);

/**
 * `POST /lab/experiments/{experiment_id}/allow-unpaid`: allows the run of an experiment before its invoice is paid. Only
 * the audit trail of the installation has the reason, because clients may not read it.
 */
export async function allowUnpaidRun(input: Input<typeof operation>, context: WriteContext) {
  const { tx, clock, principal } = context;
  const { reason } = input.body;
  const experiment = await holdExperiment(context, input.params.experiment_id);
  context.setAuditOrganization(INSTALLATION_ID);
  if (!STATES.has(experiment.status))
    throw fail('move_not_allowed', { status: experiment.status, action: 'be released before its payment' });
  const at = clock.now();
  const releasedBy = principal.userEmail;
  const scope = createOrganizationScope(experiment.organization_id);
  await putUnpaidRelease(scope, tx, { experimentId: experiment.id, reason, releasedBy, at });
  context.addAuditDetails({ reason, experiment: experiment.code });
  return {
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    reason,
    released_by: releasedBy,
    created_at: at.toISOString(),
  };
}
