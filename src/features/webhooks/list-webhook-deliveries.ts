import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listWebhookDeliveries as operation } from './delivery-contract.ts';
import { listDeliveryPage } from './delivery-list-store.ts';
import { webhookDeliveryFields } from './list-fields.ts';
import { findWebhook } from './store.ts';
import { parseList } from '#core/parse-list.ts';

/** `GET /webhooks/{webhook_id}/deliveries`. */
export async function listWebhookDeliveries(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<RawJson> {
  const { webhook_id: id } = input.params;
  const scope = getScope(context.principal);
  const query = parseList(context, webhookDeliveryFields, input.query, [], id);
  if ((await findWebhook(scope, context.sql, id)) === undefined) throw fail('webhook_not_found');
  return listDeliveryPage(scope, context.sql, query, id);
}
