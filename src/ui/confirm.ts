/**
 * A step that moves money and cannot be taken back: sending its form shows what will happen, with the amount, and a
 * second press does exactly that. It works without scripts.
 */
import type { FormContext } from './context.ts';
import { renderHidden } from './form.ts';
import { getField, type Form } from './http.ts';
import { FORM_TOKEN_FIELD, renderFormToken, type PageContent } from './layout.ts';
import { markup, type Part } from './markup.ts';

const CONFIRMED_FIELD = 'confirmed';

export interface Confirmation {
  readonly title: string;
  /** What will happen, with the amount. */
  readonly sentence: Part;
  /** What the second press says and does. */
  readonly button: Part;
  /** The page of the form. */
  readonly back: string;
  /** Fields in place of what was typed, such as the amount that an empty field stands for. */
  readonly settled: Form;
}

export function isConfirmed(form: Form): boolean {
  return getField(form, CONFIRMED_FIELD) === 'yes';
}

/** Asks for the second press; the hidden fields carry the form, with the key that makes a repeat harmless. */
export function renderConfirmation(
  { form, request, session }: FormContext,
  { title, sentence, button, back, settled }: Confirmation,
): PageContent {
  const [action = ''] = request.url.split('?');
  const carried = Object.entries({ ...form, ...settled, [CONFIRMED_FIELD]: 'yes' }).filter(
    ([name]) => name !== FORM_TOKEN_FIELD,
  );
  const body = markup`<article class="card door" aria-labelledby="confirm"><h1 id="confirm">${title}</h1>
<p>${sentence} Nothing was done yet, and this cannot be taken back.</p>
<form method="post" action="${action}" class="fields">${renderFormToken(session.visitor)}${carried.map(renderHidden)}<div><button class="danger">${button}</button></div></form>
<p><a href="${back}">Leave it</a></p></article>`;
  return { title, body, width: 'narrow' };
}
