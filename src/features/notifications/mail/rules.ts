/**
 * The content of a mail, and its plain-text form.
 * This folder: the content of mails and the queue they wait in. Not here: how a mail is sent (`adapters/mail`).
 */
import { FinalJobError } from '../../jobs/rules.ts';
import { formatHtml } from './html.ts';

interface MailLink {
  readonly label: string;
  readonly url: string;
}

export interface MailContent {
  readonly paragraphs: readonly string[];
  /** Several things at once, each with its own address. */
  readonly items?: readonly { readonly text: string; readonly url: string }[];
  /** What follows the items. */
  readonly rest?: string;
  /** The one action the reader can take. The text contains its address, too. */
  readonly action?: MailLink;
  /** Says why the reader got the mail, and what to do if it was not meant for them. */
  readonly footer: string;
  /** What the reader can do about getting such mails. */
  readonly links?: readonly MailLink[];
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly content: MailContent;
}

/** A mail as it is given to the mail server. */
export interface Message {
  /** The same at every attempt, so that a second delivery is recognized. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** A POST to it stops such mails (RFC 8058); undefined for a mail that the reader asked for. */
  readonly unsubscribeUrl?: string | undefined;
}

export interface Mailer {
  /**
   * Resolves when the mail server has accepted the message. Throws `MailRefusedError` when it never will, and another
   * error when a later attempt may succeed.
   */
  send(message: Message): Promise<void>;
}

/** The mail server refused the message for good, such as for an address that does not exist. */
export class MailRefusedError extends FinalJobError {
  override readonly name = 'MailRefusedError';
}

export function buildMessage(id: string, { to, subject, content }: Mail, unsubscribeUrl?: string): Message {
  const parts = { text: formatText(content), html: formatHtml(subject, content) };
  return { id, to, subject, ...parts, unsubscribeUrl };
}

function formatText({ paragraphs, items = [], rest, action, footer, links = [] }: MailContent): string {
  const parts = [
    ...paragraphs,
    ...items.map(({ text, url }) => `* ${text}\n  ${url}`),
    ...(rest === undefined ? [] : [rest]),
    ...(action === undefined ? [] : [`${action.label}:\n${action.url}`]),
  ];
  const end = [footer, ...links.map(({ label, url }) => `${label}: ${url}`)].join('\n');
  return `${parts.join('\n\n')}\n\n-- \n${end}\n`;
}
