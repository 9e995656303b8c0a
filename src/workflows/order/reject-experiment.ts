import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { rejectExperiment as operation } from '#features/experiments/lab-contract.ts';
import { lockExperiment } from '#features/experiments/store.ts';
import { cancelOrder } from './cancel-order.ts';

/** `POST /lab/experiments/{experiment_id}/reject`: ends an order that nothing is owed for yet. */
export async function rejectExperiment(input: Input<typeof operation>, context: WriteContext) {
  const experiment = await lockExperiment(labScope, context.tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.setAuditOrganization(experiment.organization_id);
  const { id, status } = experiment;
  if (status !== 'waiting_for_confirmation' && status !== 'quote_sent')
    throw fail('move_not_allowed', { status, action: 'be rejected' });
  const { canceled } = await cancelOrder(context, experiment, {
    reason: input.body.reason,
    refundCents: undefined,
    requestedBy: context.principal.userEmail,
  });
  return {
    experiment_id: id,
    previous_status: status,
    status: canceled.status,
    canceled_at: context.clock.now().toISOString(),
  };
}
