import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { getNotifications as operation } from './contract.ts';
import { clientEventNames } from './events.ts';
import { getOwnPlace, readSettings } from './show-settings.ts';

/** `GET /notifications`: which mails the caller gets about the caller's organization. */
export async function getNotifications(_input: Input<typeof operation>, context: ReadContext) {
  return readSettings(context, context.sql, getOwnPlace(context.principal), clientEventNames);
}
