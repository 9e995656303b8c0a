import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { listWebhooks as operation } from './contract.ts';
import { selectWebhooks } from './store.ts';
import { buildWebhook } from './wire.ts';

/** `GET /webhooks`. */
export async function listWebhooks(_input: Input<typeof operation>, context: ReadContext) {
  const rows = await selectWebhooks(getScope(context.principal), context.sql);
  return rows.map((row) => buildWebhook(row, context.clock.now()));
}
