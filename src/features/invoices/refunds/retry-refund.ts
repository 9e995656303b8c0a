import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { retryRefund as operation } from './contract.ts';
import { buildRefundInfo } from './wire.ts';
import * as sending from './send-refund.ts';

/** `POST /lab/refunds/{refund_id}/retry`. */
export async function retryRefund(input: Input<typeof operation>, context: WriteContext) {
  const refund = await sending.retryRefund(context, context.tx, input.params.refund_id);
  context.setAuditOrganization(refund.organization_id);
  return buildRefundInfo(refund);
}
