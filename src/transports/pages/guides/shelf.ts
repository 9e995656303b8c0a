/** The guides of `docs/guide`: what each is called, who reads it, and its text. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '#core/package-root.ts';
import { FLAGS_PATH } from '#features/results/pages/flag-links.ts';

const FOLDER = fileURLToPath(new URL('docs/guide', ROOT));
export const GUIDES_PATH = '/docs/guide';

export interface Guide {
  readonly name: string;
  readonly isForStaff: boolean;
}

/** In the order in which a new client needs them. */
export const GUIDES: readonly Guide[] = [
  ...[
    'first-order',
    'command-line',
    'agents',
    'results',
    'data-package',
    'tokens',
    'people',
    'quotes-and-invoices',
    'paying',
    'filtering',
    'updates',
    'notifications',
    'webhooks',
    'audit-trail',
    'partners',
    'file-formats',
    'feedback',
  ].map((name) => ({ name, isForStaff: false })),
  ...['operating', 'running-a-lab'].map((name) => ({ name, isForStaff: true })),
];

/** A section of a guide that is for the people of the lab alone, up to the next section. */
const STAFF_SECTION = /^## For the staff[^]*?(?=^## |(?![^]))/gm;

/** The Markdown of a guide as its reader may see it; undefined for a guide that is none of theirs. */
export function readGuide(name: string, isStaff: boolean): string | undefined {
  const guide = findGuide(name, isStaff);
  if (guide === undefined) return undefined;
  const text = readFileSync(join(FOLDER, `${guide.name}.md`), 'utf8');
  return isStaff ? text : text.replace(STAFF_SECTION, '');
}

function findGuide(name: string, isStaff: boolean): Guide | undefined {
  return GUIDES.find((guide) => guide.name === name && (isStaff || !guide.isForStaff));
}

/** The title of a guide: its first line. */
export function readTitle(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}

/** The first paragraph of a guide, without marks. */
export function readSummary(text: string): string {
  const paragraph = text.split(/\n{2,}/).find((part) => /^[\p{L}`*]/u.test(part)) ?? '';
  const [sentence = ''] = paragraph.split(/(?<=\.)\s/);
  return sentence.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
}

/** Where a link of a guide leads on the service; null for files that it does not serve. */
export function findAddress(href: string, isStaff: boolean): string | null {
  if (/^https?:\/\//.test(href) || href.startsWith('#')) return href;
  const template = /^templates\/([\w-]+\.csv)$/.exec(href)?.[1];
  if (template !== undefined) return `/docs/templates/${template}`;
  if (href === 'templates') return '/docs#templates';
  const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name === 'results' && anchor === '#flags') return FLAGS_PATH;
  return findGuide(name, isStaff) === undefined ? null : `${GUIDES_PATH}/${name}${anchor}`;
}
