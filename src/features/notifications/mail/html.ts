/**
 * The HTML form of a mail. It loads nothing: no picture, no font, no script. Many mail programs keep only colors that
 * stand at the element; those that know the dark look read the style sheet.
 */
import type { MailContent } from './rules.ts';

const STYLE = `
.m-body{background:#ffffff;color:#1b2030}
@media (prefers-color-scheme:dark){
.m-body{background:#14171f!important;color:#e7eaf1!important}
.m-quiet{color:#a9b1c0!important;border-color:#363c4a!important}
.m-link{color:#a9b8ff!important}
.m-button{background:#aab8ff!important;color:#14171f!important}
}`;

export function formatHtml(subject: string, content: MailContent): string {
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
