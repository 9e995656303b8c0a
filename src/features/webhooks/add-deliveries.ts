import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { writeEvent, type DeliveredEvent } from './body.ts';
import { insertDeliveries } from './delivery-store.ts';

/** Writes the deliveries of an event in its own transaction; none while deliveries are switched off. */
export async function addDeliveries(
  { site }: Work,
  tx: Transaction,
  event: DeliveredEvent & { readonly update_id: string },
): Promise<void> {
  if (!site.deliversWebhooks) return;
  await insertDeliveries(createOrganizationScope(event.organization_id), tx, {
    ...event,
    body: writeEvent(event, site.deliveryWords),
  });
}
