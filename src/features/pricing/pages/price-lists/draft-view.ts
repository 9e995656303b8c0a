/** The form of a draft of prices. */
import { experimentTypes } from '../../../experiments/types.ts';
import { renderFormField, renderSelect } from '#ui/form-field.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderFormFields } from '#ui/form-field.ts';
import { toSentenceCase } from '#ui/words.ts';
import type { FormsView } from '#ui/form.ts';
import {
  describePlace,
  locateProblems,
  padDiscounts,
  parseDraft,
  type DiscountRow,
  type PriceDraft,
  type PriceRow,
} from './draft-form.ts';

type Located = ReturnType<typeof locateProblems>;

export function renderDraftForm(
  { session, createKey, remark }: FormsView,
  priceDraft: PriceDraft,
  action: string,
): Markup {
  const formRemark = remark?.action === action ? remark : undefined;
  const draft = formRemark === undefined ? priceDraft : parseDraft(formRemark.typed);
  const problems = locateProblems(formRemark?.problems ?? [], draft);
  return markup`<form method="post" action="${action}" class="stack">${renderFormFields(session, createKey())}
${formRemark !== undefined && markup`<p class="note attention" role="alert">${problems.size > 0 ? 'Nothing was saved; see below.' : formRemark.message}</p>`}
<section class="card flush" aria-labelledby="prices"><div class="card-head"><h2 id="prices">Prices in USD</h2><p class="hint">Empty: not sold by this list.</p></div>
<table class="price-table"><thead><tr><th scope="col">Assay and method</th><th scope="col">A sequence</th><th scope="col">Each further replicate</th></tr></thead><tbody>${draft.prices.map((row) => renderPriceRow(row, problems))}</tbody></table></section>
${renderDiscounts(draft.discounts, problems)}
${renderMaterials(draft.materials, problems)}
<section class="card fields paired" aria-labelledby="effect"><h2 id="effect">Effect</h2>
${renderFormField({
  name: 'effective_from',
  label: 'Takes effect on',
  hint: 'From midnight, UTC. A day that has passed: with the publication.',
  problems: problems.get('effective_from') ?? [],
  renderControl: (attributes) =>
    markup`<input type="date" ${attributes} value="${draft.day}" class="day" required>`,
})}
${renderFormField({
  name: 'note',
  label: 'Note',
  hint: 'Clients do not see it.',
  problems: problems.get('note') ?? [],
  renderControl: (attributes) =>
    markup`<input type="text" ${attributes} value="${draft.note}" maxlength="200" autocomplete="off">`,
})}</section>
<div class="actions save"><button class="primary">Save the draft</button></div></form>`;
}

function renderPriceRow(row: PriceRow, problems: Located): Markup {
  const { key, method, unit, further } = row;
  const problem = problems.get(key);
  const invalid = problem !== undefined && markup` aria-invalid="true" aria-describedby="${key}-problem"`;
  const place = describePlace(row);
  const renderAmount = (name: string, label: string, value: string): Markup =>
    markup`<input type="text" name="${name}_${key}" value="${value}" aria-label="${place}: ${label}" inputmode="decimal" maxlength="20" autocomplete="off"${invalid}>`;
  return markup`<tr class="${method !== null && 'of-method'}${problem !== undefined && ' invalid'}"><th scope="row">${place}${problem !== undefined && markup`<span class="problem" id="${key}-problem">${problem.join(' ')}</span>`}</th><td data-label="A sequence">${renderAmount('unit', 'a sequence', unit)}</td><td data-label="Each further replicate">${renderAmount('further', 'each further replicate', further)}</td></tr>`;
}

const ASSAYS = [
  ['', 'Every other assay'],
  ...experimentTypes.map((type) => [type, toSentenceCase(type)] as const),
] as const;

function renderDiscounts(discounts: readonly DiscountRow[] | null, problems: Located): Markup {
  const head = markup`<h2 id="discounts">Discounts by volume</h2><p class="hint">On the assay without the antigen. The highest number of sequences that an order reaches counts; discounts of an assay replace the general ones for it.</p>`;
  const body =
    discounts === null
      ? markup`<p class="muted">There are more discounts than this form holds; they stay as they are. Export the list, edit the file and import it.</p>`
      : markup`<div class="quote-rows">${padDiscounts(discounts).map((row, index) => renderDiscount(row, index, problems))}</div><p class="hint">Save the draft for more empty rows. A row without numbers is left out.</p>`;
  return markup`<section class="card stack" aria-labelledby="discounts">${head}${body}</section>`;
}

function renderDiscount(
  { experimentType, from, percent }: DiscountRow,
  index: number,
  problems: Located,
): Markup {
  const row = `discount_${index}`;
  const problem = problems.get(row);
  const invalid = problem !== undefined && markup` aria-invalid="true" aria-describedby="${row}-problem"`;
  const renderNumber = (name: string, label: string, value: string): Markup =>
    markup`<div class="field${problem !== undefined && ' invalid'}"><label for="${row}_${name}">${label}</label><input type="text" id="${row}_${name}" name="${row}_${name}" value="${value}" inputmode="decimal" maxlength="12" autocomplete="off"${invalid}></div>`;
  return markup`<fieldset class="quote-row discount-row"><legend class="visually-hidden">Discount ${index + 1}</legend>
<div class="field"><label for="${row}_type">Assay</label>${renderSelect(markup`id="${row}_type" name="${row}_type"`, experimentType, ASSAYS)}</div>${renderNumber('from', 'Sequences from', from)}${renderNumber('percent', 'Percent', percent)}${problem !== undefined && markup`<p class="problem" id="${row}-problem">${problem.join(' ')}</p>`}</fieldset>`;
}

function renderMaterials(materials: string | null, problems: Located): Markup {
  const body =
    materials === null
      ? markup`<p class="muted">There are more antigens than this form holds; they stay as they are. Export the list, edit the file and import it.</p>`
      : renderFormField({
          name: 'materials',
          label: 'A line for each target',
          hint: 'Catalog number = price. For each sequence: DEMO-0001 = 5.00. By whole lots, sequences: price: DEMO-0002 = 24: 500.00; 96: 1500.00. Quoted by hand: DEMO-0003 = on request.',
          problems: problems.get('materials') ?? [],
          renderControl: (attributes) =>
            markup`<textarea ${attributes} rows="5" spellcheck="false" autocapitalize="off">
${materials}</textarea>`,
        });
  return markup`<section class="card stack" aria-labelledby="materials-title"><h2 id="materials-title">Antigens</h2><p class="hint">These targets take the prices when the list takes effect; all others keep theirs.</p>${body}</section>`;
}
