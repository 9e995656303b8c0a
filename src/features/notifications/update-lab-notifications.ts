import type { WriteContext } from '#core/context.ts';
import { requireUnrestricted } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import type { updateLabNotifications as operation } from './contract.ts';
import { staffEventNames } from './events.ts';
import { changeSettings, getLabPlace, readSettings } from './show-settings.ts';

/** `PATCH /lab/notifications`: chooses which mails the caller gets as one of the staff. */
export async function updateLabNotifications({ body }: Input<typeof operation>, context: WriteContext) {
  requireUnrestricted(context.principal, 'choose the mails of its person');
  const place = getLabPlace(context.principal);
  await changeSettings(context, place, body);
  return readSettings(context, context.tx, place, staffEventNames);
}
