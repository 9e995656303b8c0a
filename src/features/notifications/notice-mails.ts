/** The mails of notices: writes those that are due, each with its job, in one transaction, and sends them. */
import type { Work } from '#core/context.ts';
import type { LinkSigner } from '#core/signed-link.ts';
import { labScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { enqueue } from '../jobs/store.ts';
import { insertMail, deleteMail, findMail, markSent } from './mail/store.ts';
import { getChoice, isClientEvent, staffEventNames } from './events.ts';
import {
  joinMail,
  lockNoticeHead,
  selectDueMails,
  selectNotices,
  type DueMail,
  type NoticeRow,
  selectNoticesOfMail,
} from './notice-store.ts';
import { findRecipient, type RecipientRow } from './settings-store.ts';
import { DAILY, signUnsubscribePath } from './unsubscribe.ts';
import { writeDigestMail, writeNoticeMail, type NoticeMail } from './words.ts';
import { buildMessage, type Mailer } from './mail/rules.ts';

export const SEND_NOTICE = 'send_notice';

const BATCH = 100;

/** What writing a mail needs. */
interface NoticeParts {
  readonly work: Work;
  readonly unsubscribeLinks: LinkSigner;
}

export async function composeMails(parts: NoticeParts, database: Database): Promise<void> {
  while ((await database.runTransaction((tx) => composeBatch(parts, tx))) === BATCH);
}

/** The head is held, so that no other process writes a part of the same daily mail. */
async function composeBatch(parts: NoticeParts, tx: Transaction): Promise<number> {
  if ((await lockNoticeHead(tx)) === undefined) return 0;
  const now = parts.work.clock.now();
  const due = await selectDueMails(labScope, tx, { now, limit: BATCH, staffEvents: staffEventNames });
  for (const mail of due) await composeMail(parts, tx, mail, now);
  return due.length;
}

async function composeMail(parts: NoticeParts, tx: Transaction, due: DueMail, now: Date): Promise<void> {
  const id = parts.work.ids.createUuid();
  await joinMail(labScope, tx, id, due.notice_ids);
  const written = await writeMail(parts, tx, await selectNotices(labScope, tx, due.notice_ids));
  // Nobody is told any more: the person has left, or wants no such mail.
  if (written === undefined) return;
  const { recipient, mail } = written;
  await insertMail(tx, { id, to: recipient.email, ...mail, created_at: now });
  const job = { kind: SEND_NOTICE, payload: { mail_id: id }, dueAt: now, uniqueKey: `notice ${id}` };
  await enqueue(labScope, tx, job, now);
}

interface WrittenMail {
  readonly recipient: RecipientRow;
  readonly mail: NoticeMail;
  readonly unsubscribeUrl: string;
}

/** Writes the mail of those notices that the person may read and wants at present; undefined where none is left. */
async function writeMail(
  { work, unsubscribeLinks }: NoticeParts,
  tx: Transaction,
  notices: readonly NoticeRow[],
): Promise<WrittenMail | undefined> {
  const [first] = notices;
  if (first === undefined) return undefined;
  const organizationId = isClientEvent(first.event) ? first.organization_id : null;
  const recipient = await findRecipient(labScope, tx, {
    user_id: first.user_id,
    organization_id: organizationId,
  });
  if (recipient === undefined) return undefined;
  const wantedNotices = notices.filter(
    ({ event, details }) => getChoice(event, recipient.choices ?? {}, recipient, details.is_named) !== 'none',
  );
  const [head] = wantedNotices;
  if (head === undefined) return undefined;
  const { baseUrl } = work.site;
  const subscription = {
    userId: first.user_id,
    organizationId,
    stops: first.is_daily ? DAILY : head.event,
  } as const;
  const unsubscribeUrl = `${baseUrl}${signUnsubscribePath(unsubscribeLinks, subscription, work.clock.now())}`;
  const links = { baseUrl, unsubscribeUrl };
  const mail = first.is_daily ? writeDigestMail(wantedNotices, links) : writeNoticeMail(head, links);
  return { recipient, mail, unsubscribeUrl };
}

/**
 * The job that hands a mail of notices to the mail server. Its claim is the attempt, written down before; a process
 * that dies between the server's receipt and our record sends again under the same Message-ID.
 */
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
