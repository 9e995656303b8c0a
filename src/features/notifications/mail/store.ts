import { getFirst, type Sql } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';
import type { Mail, MailContent } from './rules.ts';

export interface MailRow {
  readonly id: string;
  readonly recipient: string;
  readonly subject: string;
  readonly content: MailContent | null;
  readonly created_at: string;
  readonly sent_at: string | null;
}

export async function insertMail(
  sql: Sql,
  mail: Mail & { readonly id: string; readonly created_at: Date },
): Promise<void> {
  await sql.query(
    ...insertInto('mails', {
      id: mail.id,
      subject: mail.subject,
      recipient: mail.to,
      content: JSON.stringify(mail.content),
      created_at: mail.created_at,
    }),
  );
}

export async function findMail(sql: Sql, id: string): Promise<MailRow | undefined> {
  return getFirst(await sql.query<MailRow>(`select * from mails where id = $1`, [id]));
}

/** With `keep`, the content stays readable, as in a mailbox. */
export async function markSent(
  sql: Sql,
  mail: { readonly id: string; readonly at: Date; readonly keep: boolean },
): Promise<void> {
  await sql.query(`update mails set sent_at = $2, content = case when $3 then content end where id = $1`, [
    mail.id,
    mail.at,
    mail.keep,
  ]);
}

/** Forgets a mail that nobody is to get any more. */
export async function deleteMail(sql: Sql, id: string): Promise<void> {
  await sql.query(`delete from mails where id = $1 and sent_at is null`, [id]);
}

export async function selectLatestMails(sql: Sql, limit: number): Promise<MailRow[]> {
  return sql.query<MailRow>(`select * from mails order by created_at desc, id desc limit $1`, [limit]);
}

export async function deleteOldMails(sql: Sql, before: Date): Promise<void> {
  await sql.query(`delete from mails where created_at < $1`, [before]);
}
