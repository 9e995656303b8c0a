import type { WriteContext } from '#core/context.ts';
import { requireUnrestricted } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import type { updateNotifications as operation } from './contract.ts';
import { clientEventNames } from './events.ts';
import { changeSettings, getOwnPlace, readSettings } from './show-settings.ts';

/** `PATCH /notifications`: chooses which mails the caller gets about the caller's organization. */
export async function updateNotifications({ body }: Input<typeof operation>, context: WriteContext) {
  requireUnrestricted(context.principal, 'choose the mails of its person');
  const place = getOwnPlace(context.principal);
  await changeSettings(context, place, body);
  return readSettings(context, context.tx, place, clientEventNames);
}
