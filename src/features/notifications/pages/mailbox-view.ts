/** The mailbox of a sandbox without a mail server, for a person at the machine itself. */
import type { MailRow } from '../mail/store.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderTime } from '#ui/words.ts';

export function renderMailboxPage(mails: readonly MailRow[]): PageContent {
  const body = markup`<h1>Mailbox of this sandbox</h1>
<p class="hint">Nothing leaves this machine: every mail of the sandbox is shown here. Set SMTP_URL to send them.</p>
${mails.length === 0 ? markup`<p>No mail yet.</p>` : mails.map(renderMailCard)}`;
  return { title: 'Mailbox', body };
}

/** The same mails for the command line. */
export function listMailbox(mails: readonly MailRow[]) {
  return mails.map(({ id, recipient, subject, content, created_at: at }) => ({
    id,
    to: recipient,
    subject,
    created_at: new Date(at).toISOString(),
    paragraphs: content?.paragraphs ?? [],
    action: content?.action ?? null,
  }));
}

function renderMailCard({ recipient, subject, content, created_at: at }: MailRow): Markup {
  return markup`<article class="card mail"><h2>${subject}</h2>
<p class="hint">to <bdi>${recipient}</bdi> · ${renderTime(at)}</p>
${content?.paragraphs.map((paragraph) => markup`<p>${paragraph}</p>`)}
${content?.items !== undefined && markup`<ul>${content.items.map(({ text, url }) => markup`<li>${text} <a href="${url}">Open</a></li>`)}</ul>`}
${content?.rest !== undefined && markup`<p>${content.rest}</p>`}
${content?.action !== undefined && markup`<p><a class="button primary" href="${content.action.url}">${content.action.label}</a></p>`}
<p class="hint">${content?.footer}${content?.links?.map(({ label, url }) => markup` · <a href="${url}">${label}</a>`)}</p></article>`;
}
