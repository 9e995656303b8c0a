import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { TEST_EVENT, writeTest } from './body.ts';
import type { testWebhook as operation } from './delivery-contract.ts';
import { findDelivery } from './delivery-list-store.ts';
import { insertTestDelivery } from './delivery-store.ts';
import { lockWebhook } from './store.ts';

/** `POST /webhooks/{webhook_id}/test`. */
export async function testWebhook(input: Input<typeof operation>, context: WriteContext) {
  const { tx, ids, clock, principal, site } = context;
  const scope = getScope(principal);
  const webhook = await lockWebhook(scope, tx, input.params.webhook_id);
  if (webhook === undefined) throw fail('webhook_not_found');
  if (!webhook.is_enabled) throw fail('webhook_disabled');
  if (!site.deliversWebhooks) throw fail('deliveries_off');
  const id = ids.createUuid();
  const at = clock.now();
  await insertTestDelivery(scope, tx, {
    id,
    webhookId: webhook.id,
    eventType: TEST_EVENT,
    body: writeTest(scope.organizationId, at, site.deliveryWords),
    at,
  });
  const delivery = await findDelivery(scope, tx, id);
  if (delivery === undefined) throw new Error('the delivery that was written is not there');
  return delivery;
}
