/** The operations of notifications, each with what carries it out. */
import { bindRead, bindWrite, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { clientEventNames, staffEventNames } from './events.ts';
import { getOwnPlace, readSettings, changeSettings, getLabPlace } from './show-settings.ts';
import { requireUnrestricted } from '#core/grants.ts';

export const notificationsOperations: readonly Binding[] = [
  bindRead(contract.getNotifications, getNotifications),
  bindWrite(contract.updateNotifications, updateNotifications),
  bindRead(contract.getLabNotifications, getLabNotifications),
  bindWrite(contract.updateLabNotifications, updateLabNotifications),
];

/** `GET /notifications`: which mails the caller gets about the caller's organization. */
async function getNotifications(_input: Input<typeof contract.getNotifications>, context: ReadContext) {
  return readSettings(context, context.sql, getOwnPlace(context.principal), clientEventNames);
}

/** `PATCH /notifications`: chooses which mails the caller gets about the caller's organization. */
async function updateNotifications(
  { body }: Input<typeof contract.updateNotifications>,
  context: WriteContext,
) {
  requireUnrestricted(context.principal, 'choose the mails of its person');
  const place = getOwnPlace(context.principal);
  await changeSettings(context, place, body);
  return readSettings(context, context.tx, place, clientEventNames);
}

/** `GET /lab/notifications`: which mails the caller gets as one of the staff. */
async function getLabNotifications(_input: Input<typeof contract.getLabNotifications>, context: ReadContext) {
  return readSettings(context, context.sql, getLabPlace(context.principal), staffEventNames);
}

/** `PATCH /lab/notifications`: chooses which mails the caller gets as one of the staff. */
async function updateLabNotifications(
  { body }: Input<typeof contract.updateLabNotifications>,
  context: WriteContext,
) {
  requireUnrestricted(context.principal, 'choose the mails of its person');
  const place = getLabPlace(context.principal);
  await changeSettings(context, place, body);
  return readSettings(context, context.tx, place, staffEventNames);
}
