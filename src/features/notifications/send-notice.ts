/**
 * The job that hands a mail of notices to the mail server. Its claim is the attempt, written down before; a process
 * that dies between the server's receipt and our record sends again under the same Message-ID.
 */
import { labScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import { buildMessage, type Mailer } from './mail/rules.ts';
import { deleteMail, findMail, markSent } from './mail/store.ts';
import { selectNoticesOfMail } from './notice-store.ts';
import { writeMail, type NoticeParts } from './compose-mails.ts';

export async function sendNotice(
  parts: NoticeParts,
  database: Database,
  mailer: Mailer | null,
  mailId: string,
): Promise<void> {
  const mail = await findMail(database.read, mailId);
  if (mail === undefined || mail.sent_at !== null) return;
  // It may have waited for hours, so the rights and wishes of now decide.
  const written = await database.runTransaction(async (tx) =>
    writeMail(parts, tx, await selectNoticesOfMail(labScope, tx, mailId)),
  );
  if (written === undefined) return deleteMail(database.read, mailId);
  const { recipient, mail: present, unsubscribeUrl } = written;
  if (mailer !== null)
    await mailer.send(buildMessage(mailId, { to: recipient.email, ...present }, unsubscribeUrl));
  await markSent(database.read, { id: mailId, at: parts.work.clock.now(), keep: mailer === null });
}
