import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { getLabNotifications as operation } from './contract.ts';
import { staffEventNames } from './events.ts';
import { getLabPlace, readSettings } from './show-settings.ts';

/** `GET /lab/notifications`: which mails the caller gets as one of the staff. */
export async function getLabNotifications(_input: Input<typeof operation>, context: ReadContext) {
  return readSettings(context, context.sql, getLabPlace(context.principal), staffEventNames);
}
