import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { cancelExperimentByStaff as operation } from '#features/experiments/lab-contract.ts';
import { lockExperiment } from '#features/experiments/store.ts';
import { cancelOrder } from './cancel-order.ts';

/** `POST /lab/experiments/{experiment_id}/cancel`: ends the order, and voids or refunds its invoice. */
export async function cancelExperimentByStaff(input: Input<typeof operation>, context: WriteContext) {
  const experiment = await lockExperiment(labScope, context.tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.setAuditOrganization(experiment.organization_id);
  const { canceled, refund, invoice } = await cancelOrder(context, experiment, {
    reason: input.body.reason,
    refundCents: input.body.refund_cents,
    requestedBy: context.principal.userEmail,
  });
  return {
    experiment_id: experiment.id,
    previous_status: experiment.status,
    status: canceled.status,
    canceled_at: context.clock.now().toISOString(),
    invoice_status: invoice?.status ?? null,
    refund,
  };
}
