import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { resendDelivery as operation } from './delivery-contract.ts';
import { resetDelivery } from './delivery-list-store.ts';

/** `POST /webhooks/deliveries/{delivery_id}/redeliver`. */
export async function resendDelivery(input: Input<typeof operation>, context: WriteContext) {
  const { principal, tx, clock } = context;
  const delivery = await resetDelivery(getScope(principal), tx, input.params.delivery_id, clock.now());
  if (delivery === undefined) throw fail('delivery_not_found');
  return delivery;
}
