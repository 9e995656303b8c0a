import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { resendWebhookDeliveries as operation } from './delivery-contract.ts';
import { resetDeliveries } from './delivery-list-store.ts';
import { lockWebhook } from './store.ts';

/** `POST /webhooks/{webhook_id}/redeliver`. */
export async function resendWebhookDeliveries(input: Input<typeof operation>, context: WriteContext) {
  const { principal, tx, clock } = context;
  const { since, until, only_failed: onlyFailed = true } = input.body;
  const scope = getScope(principal);
  const webhook = await lockWebhook(scope, tx, input.params.webhook_id);
  if (webhook === undefined) throw fail('webhook_not_found');
  const now = clock.now();
  const count = await resetDeliveries(
    scope,
    tx,
    { webhookId: webhook.id, since, until: until ?? now.toISOString(), onlyFailed },
    now,
  );
  return { count };
}
