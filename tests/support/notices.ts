/** What people were told by mail, as the mailbox of a sandbox keeps it. */
import type { MailContent } from '#features/notifications/mail/rules.ts';
import type { TestService } from './service.ts';

export interface KeptMail {
  readonly id: string;
  readonly recipient: string;
  readonly subject: string;
  readonly content: MailContent | null;
  readonly sent_at: string | null;
}

/** Runs the chores that choose people and write mails, and the jobs that send them. */
export async function deliverNotices({ service }: Pick<TestService, 'service'>): Promise<void> {
  await service.worker.runChores();
  while ((await service.worker.runDue()) > 0);
}

function readMails({ service }: Pick<TestService, 'service'>): Promise<KeptMail[]> {
  return service.database.read.query<KeptMail>(
    'select id, recipient, subject, content, sent_at from mails order by created_at, id',
  );
}

/** Delivers what happened, and answers the mails that are new since. */
export async function takeMails(service: Pick<TestService, 'service'>): Promise<KeptMail[]> {
  const before = new Set((await readMails(service)).map(({ id }) => id));
  await deliverNotices(service);
  return (await readMails(service)).filter(({ id }) => !before.has(id));
}

/** The address of a mail that stops such mails, as a path. */
export function readStopPath({ content }: KeptMail): string {
  const url = content?.links?.at(-1)?.url;
  if (url === undefined) throw new Error('the mail has no link that stops it');
  return new URL(url).pathname + new URL(url).search;
}
