/** The form of a draft of prices, and the body that its fields make. */
import type { Problem } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import { bindingMethods } from '../../assay-types/rules.ts';
import { hasTarget } from '#assays/registry.ts';
import { experimentTypes } from '../../../experiments/types.ts';
import type { getPriceList } from '../../list-contract.ts';
import { formatCents, formatPercent, parseCents, parseNumber, parsePercent } from '#ui/amount.ts';
import { getField, type Form } from '#ui/http.ts';
import { toSentenceCase } from '#ui/words.ts';
import { formatMaterials, parseMaterials } from './material-lines.ts';
import { renderFormField, renderSelect, renderFormFields, type FormsView } from '#ui/form.ts';
import { markup, type Markup } from '#ui/markup.ts';

export type PriceList = Output<typeof getPriceList>;

/** A form has at most 200 fields. */
const DISCOUNTS_MAX = 40;
const BLANK_DISCOUNTS = 2;
/** A text of more lines is a matter for a file. */
const MATERIALS_MAX = 500;

interface PriceRow {
  /** The assay and the method, or `any`, joined by `_`. */
  readonly key: string;
  readonly experimentType: string;
  /** Null: every method without a price of its own. */
  readonly method: string | null;
  readonly unit: string;
  readonly further: string;
}

interface DiscountRow {
  /** Empty: every assay without a discount of its own. */
  readonly experimentType: string;
  readonly from: string;
  readonly percent: string;
}

/** The values of the form, as they were typed. */
interface PriceDraft {
  readonly day: string;
  readonly note: string;
  readonly prices: readonly PriceRow[];
  /** Null: more than the form holds; they stay as they are. */
  readonly discounts: readonly DiscountRow[] | null;
  /** A line each; null: more than the form holds. */
  readonly materials: string | null;
}

/** Every assay, and every method of an assay that has some. */
function listPlaces(): Pick<PriceRow, 'key' | 'experimentType' | 'method'>[] {
  return experimentTypes.flatMap((type) => {
    const methods = hasTarget(type) ? bindingMethods : [];
    return [null, ...methods].map((method) => ({
      key: `${type}_${method ?? 'any'}`,
      experimentType: type,
      method,
    }));
  });
}

/** Such as `Affinity, SPR`; any method is one without a price of its own. */
export function describePlace({
  experimentType,
  method,
}: Pick<PriceRow, 'experimentType' | 'method'>): string {
  const assay = toSentenceCase(experimentType);
  if (method !== null) return `${assay}, ${method.toUpperCase()}`;
  return hasTarget(experimentType) ? `${assay}, any method` : assay;
}

/** `numbers` has the catalog number of each target that the list names and everyone can order. */
export function describeDraft(list: PriceList, numbers: ReadonlyMap<string, string>): PriceDraft {
  const { volume_discounts: discounts, materials } = list;
  return {
    day: list.effective_from.slice(0, 10),
    note: list.note,
    prices: listPlaces().map((place) => {
      const entry = list.prices.find(
        ({ experiment_type: type, method = null }) =>
          type === place.experimentType && method === place.method,
      );
      return {
        ...place,
        unit: entry === undefined ? '' : formatCents(entry.unit_price_cents),
        further: entry === undefined ? '' : formatCents(entry.replicate_price_cents),
      };
    }),
    discounts:
      discounts.length > DISCOUNTS_MAX
        ? null
        : discounts.map((discount) => ({
            experimentType: discount.experiment_type ?? '',
            from: String(discount.sequences_min),
            percent: formatPercent(discount.basis_points),
          })),
    materials: materials.length > MATERIALS_MAX ? null : formatMaterials(materials, numbers),
  };
}

/** Adds empty rows to fill in. */
function padDiscounts(discounts: readonly DiscountRow[]): DiscountRow[] {
  const blank = Array.from({ length: BLANK_DISCOUNTS }, () => ({
    experimentType: '',
    from: '',
    percent: '',
  }));
  return [...discounts, ...blank].slice(0, DISCOUNTS_MAX);
}

export function parseDraft(form: Form): PriceDraft {
  const rows = Array.from({ length: DISCOUNTS_MAX }, (_, index) => ({
    experimentType: getField(form, `discount_${index}_type`),
    from: getField(form, `discount_${index}_from`),
    percent: getField(form, `discount_${index}_percent`),
  }));
  return {
    day: getField(form, 'effective_from'),
    note: getField(form, 'note'),
    prices: listPlaces().map((place) => ({
      ...place,
      unit: getField(form, `unit_${place.key}`),
      further: getField(form, `further_${place.key}`),
    })),
    discounts:
      form['discount_0_from'] === undefined
        ? null
        : rows.filter(({ from, percent }) => from !== '' || percent !== ''),
    materials: form['materials'] ?? null,
  };
}

const listPriced = ({ prices }: PriceDraft): PriceRow[] =>
  prices.filter(({ unit, further }) => unit !== '' || further !== '');

/** Builds what the draft becomes, without its materials. */
export function buildPrices(draft: PriceDraft, present: PriceList): Record<string, unknown> {
  const isSameDay = draft.day === present.effective_from.slice(0, 10);
  const discounts = draft.discounts?.map(({ experimentType, from, percent }) => ({
    experiment_type: experimentType === '' ? null : experimentType,
    sequences_min: parseNumber(from),
    basis_points: parsePercent(percent),
  }));
  return {
    note: draft.note,
    ...(isSameDay || draft.day === '' ? {} : { effective_from: `${draft.day}T00:00:00.000Z` }),
    prices: listPriced(draft).map(({ experimentType, method, unit, further }) => ({
      experiment_type: experimentType,
      method,
      unit_price_cents: parseCents(unit),
      replicate_price_cents: further === '' ? 0 : parseCents(further),
    })),
    ...(discounts === undefined ? {} : { volume_discounts: discounts }),
  };
}

const MESSAGES: Readonly<Record<string, string>> = {
  unit_price_cents: 'The price is an amount such as 199.00.',
  replicate_price_cents: 'The price of a further replicate is an amount such as 49.00.',
  sequences_min: 'The discount begins at a whole number of sequences, 2 or more.',
  basis_points: 'A percentage is above 0 and at most 100, with two decimals.',
};

/** Problems by row: the key of a price, `discount_0`, `materials`, or the name of a field. */
function locateProblems(
  problems: readonly Problem[],
  draft: PriceDraft,
): ReadonlyMap<string, readonly string[]> {
  const priced = listPriced(draft);
  const lines = parseMaterials(draft.materials ?? '');
  const located = problems.map(({ path, message }) => {
    const [, list, row, member = ''] =
      /(prices|volume_discounts|materials)[.[/](\d+)[\]./]*(\w*)/.exec(path) ?? [];
    const sentence = MESSAGES[member] ?? `${toSentenceCase(message)}.`;
    if (list === 'prices') return [priced[Number(row)]?.key ?? '', sentence] as const;
    if (list === 'volume_discounts') return [`discount_${row}`, sentence] as const;
    if (list === 'materials')
      return ['materials', `Line ${lines[Number(row)]?.line ?? 1}: ${message}.`] as const;
    return [path.replace(/^body[./]/, '').split(/[.[]/)[0] ?? '', sentence] as const;
  });
  const byPlace = Map.groupBy(located, ([place]) => place);
  return new Map([...byPlace].map(([place, all]) => [place, [...new Set(all.map(([, said]) => said))]]));
}

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
