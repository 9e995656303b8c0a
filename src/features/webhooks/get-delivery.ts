import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { writeSentBody } from './body.ts';
import type { getDelivery as operation } from './delivery-contract.ts';
import { findDelivery, findDeliveryBody, selectAttempts } from './delivery-list-store.ts';

/** `GET /webhooks/deliveries/{delivery_id}`. */
export async function getDelivery(input: Input<typeof operation>, { principal, sql, site }: ReadContext) {
  const scope = getScope(principal);
  const { delivery_id: id } = input.params;
  const delivery = await findDelivery(scope, sql, id);
  const event = await findDeliveryBody(scope, sql, id);
  if (delivery === undefined || event === undefined) throw fail('delivery_not_found');
  const attempts = await selectAttempts(scope, sql, id);
  return { ...delivery, body: writeSentBody({ ...event, id }, site.baseUrl), attempts_made: attempts };
}
