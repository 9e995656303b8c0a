/** `assayer mail`: shows the mails that a sandbox would have sent. */
import { hasMembers } from '#core/records.ts';
import { CommandError } from './command-error.ts';
import { getServiceAddress } from './connection.ts';
import { formatTime } from './words.ts';
import { createShapeError } from './requests.ts';
import { CONNECTION, createUsageError, type Parsed } from './options.ts';
import { print, printNote, toPlainText } from './terminal.ts';

export const guide = {
  name: 'mail',
  usage: ['[--to TEXT] [--limit N] [--json]'],
  about: `Shows the mails that a sandbox without a mail server would have sent, newest first. It answers only on the machine of
the sandbox, because the mails hold sign-in links.`,
  options: {
    'to TEXT': 'only mails whose recipient contains the text',
    'limit N': 'at most this many, default 10',
    json: 'one JSON object per line',
    ...CONNECTION,
  },
  examples: ['mail', 'mail --to ada@ --limit 1 --json | jq -r .action.url'],
};

interface Shown {
  readonly to: string;
  readonly subject: string;
  readonly created_at: string;
  readonly paragraphs: readonly string[];
  readonly action?: { readonly label: string; readonly url: string } | null;
}

const TIMEOUT_MS = 10_000;

export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  const { to, limit = '10', json } = values;
  if (!/^[1-9]\d{0,3}$/.test(limit))
    throw createUsageError(guide, '--limit must be a whole number from 1 to 9999');
  const mails = await readMails(getServiceAddress(values));
  const wanted = to?.toLowerCase() ?? '';
  const shown = mails.filter((mail) => mail.to.toLowerCase().includes(wanted)).slice(0, Number(limit));
  if (shown.length === 0) printNote('No mail.');
  for (const mail of shown) print(json === true ? JSON.stringify(mail) : formatMail(mail));
}

async function readMails(url: string): Promise<readonly Shown[]> {
  const answer = await fetch(`${url}/mailbox`, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
  if (answer === undefined) throw new CommandError(`No service answers at ${url}.`);
  if (!answer.ok)
    throw new CommandError(
      `${url} shows no mails: only a sandbox without SMTP_URL keeps them, and only for its own machine.`,
    );
  const body: unknown = await answer.json().catch(() => undefined);
  const members = 'to subject created_at paragraphs[] action?.label action?.url';
  if (!hasMembers(body, members.replaceAll(/\S+/g, 'mails[].$&')))
    throw createShapeError({ url }, 'a list of mails');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked in the line above
  return (body as { readonly mails: readonly Shown[] }).mails;
}

function formatMail({ to, subject, created_at: at, paragraphs, action }: Shown): string {
  const lines = [`To:      ${to}`, `Date:    ${formatTime(at)}`, `Subject: ${subject}`];
  const body = paragraphs.flatMap((paragraph) => ['', paragraph]);
  const link = action === null || action === undefined ? [] : ['', `${action.label}: ${action.url}`];
  return `${[...lines, ...body, ...link].map(toPlainText).join('\n')}\n`;
}
