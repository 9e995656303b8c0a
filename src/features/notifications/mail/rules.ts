/**
 * The content of a mail, and its plain-text form.
 * This folder: the content of mails and the queue they wait in. Not here: how a mail is sent (`adapters/mail`).
 */
import { FinalJobError } from '../../jobs/rules.ts';

/**
 * The HTML form of a mail. It loads nothing: no picture, no font, no script. Many mail programs keep only colors that
 * stand at the element; those that know the dark look read the style sheet.
 */
const STYLE = `
.m-body{background:#ffffff;color:#1b2030}
@media (prefers-color-scheme:dark){
.m-body{background:#14171f!important;color:#e7eaf1!important}
.m-quiet{color:#a9b1c0!important;border-color:#363c4a!important}
.m-link{color:#a9b8ff!important}
.m-button{background:#aab8ff!important;color:#14171f!important}
}`;

function formatHtml(subject: string, content: MailContent): string {
  const { paragraphs, items = [], rest, action, footer, links = [] } = content;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(subject)}</title><style>${STYLE}</style></head>
<body class="m-body" style="margin:0;padding:24px;background:#ffffff;color:#1b2030;font:16px/1.5 system-ui,sans-serif">
<div role="main" style="max-width:520px;margin:0 auto;overflow-wrap:anywhere">
<h1 dir="auto" style="margin:0 0 16px;font-size:18px;line-height:1.35">${escapeHtml(subject)}</h1>
${paragraphs.map(formatParagraph).join('\n')}
${items.length === 0 ? '' : formatItems(items)}${rest === undefined ? '' : formatParagraph(rest)}${action === undefined ? '' : formatAction(action)}
<div class="m-quiet" style="margin:28px 0 0;padding-top:14px;border-top:1px solid #dde1e7;font-size:13px;color:#59616e"><p style="margin:0">${escapeHtml(footer)}</p>${links.length === 0 ? '' : formatLinks(links)}</div>
</div></body></html>
`;
}

function formatParagraph(text: string): string {
  return `<p dir="auto" style="margin:0 0 16px">${escapeHtml(text)}</p>`;
}

function formatItems(items: NonNullable<MailContent['items']>): string {
  const rows = items.map(
    ({ text, url }) =>
      `<li dir="auto" style="margin:0 0 12px">${escapeHtml(text)} <a class="m-link" href="${escapeHtml(url)}" style="color:#3346b8">Open</a></li>`,
  );
  return `<ul style="margin:0 0 16px;padding:0 0 0 20px">${rows.join('\n')}</ul>`;
}

function formatAction({ label, url }: NonNullable<MailContent['action']>): string {
  return `<p style="margin:24px 0"><a class="m-button" href="${escapeHtml(url)}" style="display:inline-block;padding:12px 22px;border-radius:8px;background:#3346b8;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(label)}</a></p>
<p class="m-quiet" style="margin:0 0 16px;font-size:13px;color:#59616e">Or open this address: <span style="word-break:break-all">${escapeHtml(url)}</span></p>`;
}

function formatLinks(links: NonNullable<MailContent['links']>): string {
  const all = links.map(
    ({ label, url }) =>
      `<a class="m-link" href="${escapeHtml(url)}" style="color:#3346b8">${escapeHtml(label)}</a>`,
  );
  return `<p style="margin:8px 0 0">${all.join(' · ')}</p>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

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
