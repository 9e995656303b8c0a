/** The form of the quote composer: lines, discounts, notes, terms, validity. */
import { markup, type Markup } from '#ui/markup.ts';
import { renderFormFields } from '#ui/form-field.ts';
import { renderFormField } from '#ui/form-field.ts';
import type { FormsView } from '#ui/form.ts';
import {
  locateQuoteProblems,
  padDraft,
  type DiscountDraft,
  type LineDraft,
  type QuoteDraft,
} from './quote-form.ts';

export interface Composer {
  readonly action: string;
  readonly draft: QuoteDraft;
  readonly button: string;
  /** The order of a new quote, for which there is no address yet. */
  readonly experiment?: string;
}

type Located = ReturnType<typeof locateQuoteProblems>;

export function renderComposer({ session, createKey, remark }: FormsView, composer: Composer): Markup {
  const { action, button, experiment } = composer;
  const formRemark = remark?.action === action ? remark : undefined;
  const problems = locateQuoteProblems(formRemark?.problems ?? []);
  const draft = padDraft(composer.draft);
  return markup`<form method="post" action="${action}" class="stack">${renderFormFields(session, createKey())}${experiment !== undefined && markup`<input type="hidden" name="experiment" value="${experiment}">`}
${formRemark !== undefined && markup`<p class="note attention" role="alert">${problems.size > 0 ? 'Nothing was saved; see below.' : formRemark.message}</p>`}
<section class="card stack" aria-labelledby="lines"><h2 id="lines">Lines</h2>${renderListProblem(problems, 'line_items')}<div class="quote-rows">${draft.lines.map((line, index) => renderLine(line, index, problems))}</div></section>
<section class="card stack" aria-labelledby="discounts"><h2 id="discounts">Discounts</h2><p class="hint">On the sum of the lines: in percent, or in USD.</p>${renderListProblem(problems, 'discounts')}<div class="quote-rows">${draft.discounts.map((discount, index) => renderDiscount(discount, index, problems))}</div>
<p><button name="intent" value="more" class="quiet">Add empty rows</button></p></section>
<section class="card fields paired" aria-labelledby="words"><h2 id="words">Words and validity</h2>
${renderArea('notes', 'Notes, printed above the terms', draft.notes, problems, 5_000)}
${renderArea('terms', 'Terms', draft.terms, problems, 20_000, 'Empty: the usual terms.')}
${renderFormField({
  name: 'valid_until',
  label: 'Valid until',
  hint: 'The whole day, UTC. Empty: 30 days from now.',
  problems: problems.get('valid_until') ?? [],
  renderControl: (attributes) =>
    markup`<input type="date" ${attributes} value="${draft.validUntil}" class="day">`,
})}</section>
<div class="actions save"><button class="primary" name="intent" value="save">${button}</button></div></form>`;
}

function renderListProblem(problems: Located, list: string): Markup | null {
  const sentences = problems.get(list);
  return sentences === undefined ? null : markup`<p class="problem">${sentences.join(' ')}</p>`;
}

function renderArea(
  name: string,
  label: string,
  value: string,
  problems: Located,
  lengthMax: number,
  hint?: string,
): Markup {
  return renderFormField({
    name,
    label,
    hint,
    problems: problems.get(name) ?? [],
    renderControl: (attributes) =>
      markup`<textarea class="short" ${attributes} maxlength="${lengthMax}">
${value}</textarea>`,
  });
}

function renderLine({ description, quantity, price }: LineDraft, index: number, problems: Located): Markup {
  return renderRow(`line_${index}`, `Line ${index + 1}`, problems, [
    ['description', 'Description', description],
    ['quantity', 'Quantity', quantity],
    ['price', 'USD each', price],
  ]);
}

function renderDiscount(
  { description, percent, amount }: DiscountDraft,
  index: number,
  problems: Located,
): Markup {
  return renderRow(`discount_${index}`, `Discount ${index + 1}`, problems, [
    ['description', 'Description', description],
    ['percent', 'Percent', percent],
    ['amount', 'or USD', amount],
  ]);
}

function renderRow(
  row: string,
  label: string,
  problems: Located,
  cells: readonly (readonly [name: string, label: string, value: string])[],
): Markup {
  const sentences = problems.get(row);
  const invalid = sentences !== undefined && markup` aria-invalid="true" aria-describedby="${row}-problem"`;
  const fields = cells.map(
    ([name, words, value], index) =>
      markup`<div class="field${sentences !== undefined && ' invalid'}"><label for="${row}_${name}">${words}</label><input type="text" id="${row}_${name}" name="${row}_${name}" value="${value}" maxlength="${index === 0 ? 500 : 20}"${index > 0 && markup` inputmode="decimal"`} autocomplete="off"${invalid}></div>`,
  );
  return markup`<fieldset class="quote-row"><legend class="visually-hidden">${label}</legend>${fields}${sentences !== undefined && markup`<p class="problem" id="${row}-problem">${sentences.join(' ')}</p>`}</fieldset>`;
}
