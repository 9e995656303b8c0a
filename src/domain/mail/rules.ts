/**
 * The content of a mail, and its plain-text and HTML forms.
 * This folder: the content of mails and the queue they wait in. Not here: how a mail is sent (`adapters/mail`).
 */

export interface MailContent {
  readonly paragraphs: readonly string[];
  /** The one action the reader can take. The text contains its address, too. */
  readonly action?: { readonly label: string; readonly url: string };
  /** Says why the reader got the mail, and what to do if it was not meant for them. */
  readonly footer: string;
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
}

export interface Mailer {
  /** Resolves when the mail server has accepted the message. */
  send(message: Message): Promise<void>;
}

export function buildMessage(id: string, { to, subject, content }: Mail): Message {
  return { id, to, subject, text: formatText(content), html: formatHtml(subject, content) };
}

function formatText({ paragraphs, action, footer }: MailContent): string {
  const parts = [...paragraphs, ...(action === undefined ? [] : [`${action.label}:\n${action.url}`])];
  return `${parts.join('\n\n')}\n\n-- \n${footer}\n`;
}

function formatHtml(subject: string, { paragraphs, action, footer }: MailContent): string {
  const body = paragraphs
    .map((paragraph) => `<p style="margin:0 0 16px">${escapeHtml(paragraph)}</p>`)
    .join('\n');
  const button =
    action === undefined
      ? ''
      : `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="display:inline-block;padding:12px 22px;border-radius:8px;background:#3346b8;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(action.label)}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#59616e">Or open this address: <span style="word-break:break-all">${escapeHtml(action.url)}</span></p>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:520px;margin:0 auto">
${body}
${button}
<p style="margin:28px 0 0;padding-top:14px;border-top:1px solid #dde1e7;font-size:13px;color:#59616e">${escapeHtml(footer)}</p>
</div></body></html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
