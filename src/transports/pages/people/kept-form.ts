/**
 * What was typed into a form of another organization: carried through the switch, and offered to be sent again. Nothing
 * is sent by itself, because a form may order or pay.
 */
import { formatCount } from '#core/counts.ts';
import { IDEMPOTENCY_FIELD } from '../portal/actions.ts';
import { findPageOfForm } from '../errors.ts';
import type { Form } from '../http.ts';
import { FORM_TOKEN_FIELD, renderFormToken, type PageContent } from '../layout.ts';
import { markup, type Markup } from '../markup.ts';
import type { SignedIn } from '../session.ts';
import { toSentenceCase } from '../words.ts';
import { toOwnPath } from './next.ts';

const PREFIX = 'kept_';
const PATH_FIELD = 'path_of_form';
/** A longer text is sent whole and shown in part. */
const SHOWN_LENGTH_MAX = 400;

/** Fields that no reader filled in. */
const OWN_FIELDS: ReadonlySet<string> = new Set([FORM_TOKEN_FIELD, IDEMPOTENCY_FIELD]);
const SECRET_NAME = /token|password|secret/i;

interface KeptForm {
  /** The address of the form. */
  readonly path: string;
  readonly fields: Form;
}

/** Whether the form has anything that its reader would have to type again. */
export function hasTyped(form: Form): boolean {
  return Object.entries(form).some(([name, value]) => !OWN_FIELDS.has(name) && value !== '');
}

/** Hidden fields that carry a form through the form of the switch. */
export function renderKeptFields({ path, fields }: KeptForm): Markup {
  const inputs = Object.entries(fields)
    .filter(([name]) => name !== FORM_TOKEN_FIELD)
    .map(([name, value]) => renderHidden(PREFIX + name, value));
  return markup`${renderHidden(PATH_FIELD, path)}${inputs}`;
}

/** Reads them back; undefined where the form of the switch carries none. */
export function readKeptForm(form: Form): KeptForm | undefined {
  const path = toOwnPath(form[PATH_FIELD] ?? '');
  if (path === '') return undefined;
  const keptFields = Object.entries(form).filter(([name]) => name.startsWith(PREFIX));
  return {
    path,
    fields: Object.fromEntries(keptFields.map(([name, value]) => [name.slice(PREFIX.length), value])),
  };
}

/** The page after the switch: what was typed, and a button that sends it in the organization of the form. */
export function renderKeptPage(
  { visitor }: Pick<SignedIn, 'visitor'>,
  { path, fields }: KeptForm,
): PageContent {
  const page = findPageOfForm(path);
  const rows = Object.entries(fields)
    .filter(([name, value]) => !OWN_FIELDS.has(name) && value !== '')
    .map(([name, value]) => markup`<div><dt>${nameField(name)}</dt><dd>${showValue(name, value)}</dd></div>`);
  const hidden = Object.entries(fields).map(([name, value]) => renderHidden(name, value));
  const body = markup`<article class="card door" aria-labelledby="kept"><h1 id="kept">Send the form in <bdi>${visitor.organization}</bdi>?</h1>
<p>You are now in <bdi>${visitor.organization}</bdi>, for which the form was opened. Nothing was done yet.</p>
<dl class="facts">${rows}</dl>
<form method="post" action="${path}">${renderFormToken(visitor)}${hidden}<button class="primary">Send the form</button></form>
<p><a href="${page ?? '/'}">${page === null ? 'Leave it' : 'Show the page instead'}</a></p></article>`;
  return { title: 'Send the form?', body, width: 'narrow' };
}

function renderHidden(name: string, value: string): Markup {
  return markup`<input type="hidden" name="${name}" value="${value}">`;
}

function nameField(name: string): string {
  return toSentenceCase(name.replaceAll(/[_:.]/g, ' '));
}

function showValue(name: string, value: string): Markup {
  if (SECRET_NAME.test(name)) return markup`<span class="muted">kept, not shown</span>`;
  const shown = value.slice(0, SHOWN_LENGTH_MAX);
  return markup`<bdi>${shown}</bdi>${shown.length < value.length && markup` <span class="muted">… ${formatCount(value.length - shown.length, 'more character')}</span>`}`;
}
