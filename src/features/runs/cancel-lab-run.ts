import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { INSTALLATION_ID } from '../audit/rules.ts';
import type { cancelLabRun as operation } from './run-contract.ts';
import { markRunCanceled } from './store.ts';
import { describeRun, holdPlannedRun } from './stored-run.ts';

/** `POST /lab/runs/{run_id}/cancel`: cancels a planned run; its experiments stay in the queue. */
export async function cancelLabRun({ params, body }: Input<typeof operation>, context: WriteContext) {
  const { tx, clock } = context;
  context.setAuditOrganization(INSTALLATION_ID);
  const run = await holdPlannedRun(tx, params.run_id, 'be canceled');
  const at = clock.now();
  await markRunCanceled(tx, run.id, { reason: body.reason, at });
  context.addAuditDetails({ run: run.code, reason: body.reason });
  const canceled = { status: 'canceled' as const, cancel_reason: body.reason };
  const times = { canceled_at: at.toISOString(), updated_at: at.toISOString() };
  return describeRun(tx, { ...run, ...canceled, ...times }, at);
}
