import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { deleteWebhook as operation } from './contract.ts';
import { deleteWebhookRow } from './store.ts';

/** `DELETE /webhooks/{webhook_id}`. */
export async function deleteWebhook(input: Input<typeof operation>, context: WriteContext) {
  const isDeleted = await deleteWebhookRow(getScope(context.principal), context.tx, input.params.webhook_id);
  if (!isDeleted) throw fail('webhook_not_found');
  return {};
}
