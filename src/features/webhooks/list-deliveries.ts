import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listDeliveries as operation } from './delivery-contract.ts';
import { listDeliveryPage } from './delivery-list-store.ts';
import { deliveryFields } from './list-fields.ts';
import { parseList } from '#core/parse-list.ts';

/** `GET /webhooks/deliveries`. */
export function listDeliveries(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, deliveryFields, input.query);
  return listDeliveryPage(getScope(context.principal), context.sql, query, null);
}
