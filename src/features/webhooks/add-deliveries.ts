import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { writeEvent, type DeliveredEvent } from './body.ts';
import { insertDeliveries } from './delivery-store.ts';

/** Writes the deliveries of an event in its own transaction; none while deliveries are switched off. */
export async function addDeliveries(
  { site }: Work,
  tx: Transaction,
  event: DeliveredEvent & { readonly updateId: string },
): Promise<void> {
  if (!site.deliversWebhooks) return;
  await insertDeliveries(createOrganizationScope(event.organizationId), tx, {
    updateId: event.updateId,
    eventType: event.eventType,
    experimentId: event.experimentId,
    body: writeEvent(event, site.deliveryWords),
    at: event.at,
  });
}
