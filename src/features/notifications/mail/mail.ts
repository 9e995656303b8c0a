/** Mail is sent by a job that is written in the transaction of the change: both happen, or neither. */
import { DAY_MS, addMs } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { enqueue } from '../../jobs/store.ts';
import { buildMessage, type Mail, type Mailer } from './rules.ts';
import { findMail, deleteOldMails, insertMail, markSent } from './store.ts';

export const SEND_MAIL = 'send_mail';
const KEPT_MS = 7 * DAY_MS;

export async function postMail(
  { clock, ids }: Pick<Work, 'clock' | 'ids'>,
  tx: Transaction,
  mail: Mail,
): Promise<void> {
  const id = ids.createUuid();
  const at = clock.now();
  await insertMail(tx, { ...mail, id, created_at: at });
  const job = { kind: SEND_MAIL, payload: { mail_id: id }, dueAt: at, uniqueKey: `mail ${id}` };
  await enqueue(labScope, tx, job, at);
}

/**
 * The job. A process that dies between the server's receipt and our record of it sends again, under the same
 * Message-ID. Without a mail server the mail stays in the table, for the mailbox of the sandbox.
 */
export async function sendMail(
  { clock }: Pick<Work, 'clock'>,
  database: Database,
  mailer: Mailer | null,
  id: string,
): Promise<void> {
  const mail = await findMail(database.read, id);
  if (mail === undefined || mail.sent_at !== null || mail.content === null) return;
  if (mailer !== null) {
    const { recipient: to, subject, content } = mail;
    await mailer.send(buildMessage(id, { to, subject, content }));
  }
  await markSent(database.read, { id, at: clock.now(), keep: mailer === null });
}

export async function deleteOldMailsIn({ clock }: Pick<Work, 'clock'>, database: Database): Promise<void> {
  await deleteOldMails(database.read, addMs(clock.now(), -KEPT_MS));
}
