/** The form of a draft of prices, and the body that its fields make. */
import type { Problem } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import { bindingMethods } from '../../assay-types/rules.ts';
import { hasTarget } from '#assays/registry.ts';
import { experimentTypes } from '../../../experiments/types.ts';
import { editPriceList, VolumeDiscount, type getPriceList } from '../../list-contract.ts';
import { defineRows, hasRows, readRows, renderRows } from '#ui/rows.ts';
import { defineFields, listShown, readBody } from '#ui/action.ts';
import { formatCents, parseCents } from '#ui/amount.ts';
import { getField, type Form } from '#ui/http.ts';
import { toSentenceCase } from '#ui/words.ts';
import { formatMaterials, parseMaterials } from './material-lines.ts';
import { renderField, renderFormFields, renderWideRefusal, type FormsView, type LabField } from '#ui/form.ts';
import { markup, type Markup } from '#ui/markup.ts';
import type { Remark } from '#ui/screen.ts';

export type PriceList = Output<typeof getPriceList>;

/** A text of more lines is a matter for a file. */
const MATERIALS_MAX = 500;

const ASSAYS = [
  ['', 'Every other assay'],
  ...experimentTypes.map((type) => [type, toSentenceCase(type)] as const),
] as const;
const DISCOUNTS = defineRows(VolumeDiscount, {
  list: 'volume_discounts',
  name: 'discount',
  label: 'Discount',
  countMax: 40,
  countBlank: 2,
  fields: {
    experiment_type: { label: 'Assay', options: ASSAYS },
    sequences_min: { label: 'Sequences from' },
    basis_points: { label: 'Percent' },
  },
});
const EFFECT = defineFields(editPriceList.body, {
  effective_from: {
    label: 'Takes effect on',
    kind: 'date',
    hint: 'From midnight, UTC. A day that has passed: with the publication.',
    isRequired: true,
  },
  note: { label: 'Note', hint: 'Clients do not see it.' },
});
const MATERIALS: LabField = {
  name: 'materials',
  label: 'A line for each target',
  kind: 'code',
  hint: 'Catalog number = price. For each sequence: DEMO-0001 = 5.00. By whole lots, sequences: price: DEMO-0002 = 24: 500.00; 96: 1500.00. Quoted by hand: DEMO-0003 = on request.',
};

interface PricePlace {
  /** The assay and the method, or `any`, joined by `_`. */
  readonly key: string;
  readonly experimentType: string;
  /** Null: every method without a price of its own. */
  readonly method: string | null;
}

/** Every assay, and every method of an assay that has some. */
function listPlaces(): PricePlace[] {
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
export function describePlace({ experimentType, method }: Omit<PricePlace, 'key'>): string {
  const assay = toSentenceCase(experimentType);
  if (method !== null) return `${assay}, ${method.toUpperCase()}`;
  return hasTarget(experimentType) ? `${assay}, any method` : assay;
}

/** The prices as they are typed, by the names of their fields. */
function describePrices({ prices }: PriceList): Form {
  const entries = prices.flatMap((entry) => {
    const key = `${entry.experiment_type}_${entry.method ?? 'any'}`;
    return [
      [`unit_${key}`, formatCents(entry.unit_price_cents)],
      [`further_${key}`, formatCents(entry.replicate_price_cents)],
    ] as const;
  });
  return Object.fromEntries(entries);
}

const listPriced = (form: Form): PricePlace[] =>
  listPlaces().filter(
    ({ key }) => getField(form, `unit_${key}`) !== '' || getField(form, `further_${key}`) !== '',
  );

/** Builds what the draft becomes, without its materials; discounts that the form has no room for stay. */
export function buildPrices(form: Form, present: PriceList): Record<string, unknown> {
  const { effective_from: day, ...words } = readBody({ fields: EFFECT }, form);
  const isSameDay = day === '' || day === present.effective_from.slice(0, 10);
  return {
    note: '',
    ...words,
    ...(isSameDay ? {} : { effective_from: `${String(day)}T00:00:00.000Z` }),
    prices: listPriced(form).map(({ key, experimentType, method }) => {
      const further = getField(form, `further_${key}`);
      return {
        experiment_type: experimentType,
        method,
        unit_price_cents: parseCents(getField(form, `unit_${key}`)),
        replicate_price_cents: further === '' ? 0 : parseCents(further),
      };
    }),
    ...(hasRows(DISCOUNTS, form) && { volume_discounts: readRows(DISCOUNTS, form) }),
  };
}

const MESSAGES: Readonly<Record<string, string>> = {
  unit_price_cents: 'The price is an amount such as 199.00.',
  replicate_price_cents: 'The price of a further replicate is an amount such as 49.00.',
};

/** Moves the problems of prices to the keys of their rows, and those of antigens to their lines. */
function locateProblems({ problems, typed }: Remark): Problem[] {
  const priced = listPriced(typed);
  const lines = parseMaterials(typed['materials'] ?? '');
  return problems.map(({ path, message }) => {
    const [, list, row, member = ''] = /(prices|materials)[.[/](\d+)[\]./]*(\w*)/.exec(path) ?? [];
    if (list === 'prices')
      return { path: priced[Number(row)]?.key ?? '', message: MESSAGES[member] ?? `${message}.` };
    if (list === 'materials')
      return { path: list, message: `line ${lines[Number(row)]?.line ?? 1}: ${message}` };
    return { path, message };
  });
}

/** `numbers` has the catalog number of each target that the list names and everyone can order. */
export function renderDraftForm(
  { session, createKey, remark }: FormsView,
  list: PriceList,
  numbers: ReadonlyMap<string, string>,
  action: string,
): Markup {
  const formRemark = remark?.action === action ? { ...remark, problems: locateProblems(remark) } : undefined;
  const { typed, problems = [] } = formRemark ?? {};
  const prices = typed ?? describePrices(list);
  const effect = listShown(EFFECT, list).map((field) => renderField('list', field, formRemark));
  return markup`<form method="post" action="${action}" class="stack">${renderFormFields(session, createKey())}
${formRemark !== undefined && renderWideRefusal(formRemark, problems.length > 0 ? 'Nothing was saved; see below.' : undefined)}
<section class="card flush" aria-labelledby="prices"><div class="card-head"><h2 id="prices">Prices in USD</h2><p class="hint">Empty: not sold by this list.</p></div>
<table class="price-table"><thead><tr><th scope="col">Assay and method</th><th scope="col">A sequence</th><th scope="col">Each further replicate</th></tr></thead><tbody>${listPlaces().map((place) => renderPriceRow(place, prices, problems))}</tbody></table></section>
${renderDiscounts(typed === undefined ? list.volume_discounts : readRows(DISCOUNTS, typed), problems)}
${renderMaterials(list.materials, numbers, formRemark)}
<section class="card fields paired" aria-labelledby="effect"><h2 id="effect">Effect</h2>${effect}</section>
<div class="actions save"><button class="primary">Save the draft</button></div></form>`;
}

function renderPriceRow(place: PricePlace, typed: Form, problems: readonly Problem[]): Markup {
  const { key, method } = place;
  const sentences = problems.flatMap(({ path, message }) => (path === key ? message : []));
  const isWrong = sentences.length > 0;
  const label = describePlace(place);
  const renderAmount = (name: string, words: string): Markup =>
    markup`<input type="text" name="${name}_${key}" value="${getField(typed, `${name}_${key}`)}" aria-label="${label}: ${words}" inputmode="decimal" maxlength="20" autocomplete="off"${isWrong && markup` aria-invalid="true" aria-describedby="${key}-problem"`}>`;
  return markup`<tr class="${method !== null && 'of-method'}${isWrong && ' invalid'}"><th scope="row">${label}${isWrong && markup`<span class="problem" id="${key}-problem">${sentences.join(' ')}</span>`}</th><td data-label="A sequence">${renderAmount('unit', 'a sequence')}</td><td data-label="Each further replicate">${renderAmount('further', 'each further replicate')}</td></tr>`;
}

const renderTooMany = (what: string): Markup =>
  markup`<p class="muted">There are more ${what} than this form holds; they stay as they are. Export the list, edit the file and import it.</p>`;

function renderDiscounts(discounts: readonly object[], problems: readonly Problem[]): Markup {
  const body =
    discounts.length > DISCOUNTS.countMax
      ? renderTooMany('discounts')
      : markup`<div class="discount-rows">${renderRows(DISCOUNTS, discounts, problems)}</div><p class="hint">Save the draft for more empty rows. A row without numbers is left out.</p>`;
  return markup`<section class="card stack" aria-labelledby="discounts"><h2 id="discounts">Discounts by volume</h2><p class="hint">On the assay without the antigen. The highest number of sequences that an order reaches counts; discounts of an assay replace the general ones for it.</p>${body}</section>`;
}

function renderMaterials(
  materials: PriceList['materials'],
  numbers: ReadonlyMap<string, string>,
  remark: Remark | undefined,
): Markup {
  const body =
    materials.length > MATERIALS_MAX
      ? renderTooMany('antigens')
      : renderField('list', { ...MATERIALS, value: formatMaterials(materials, numbers) }, remark);
  return markup`<section class="card stack" aria-labelledby="materials-title"><h2 id="materials-title">Antigens</h2><p class="hint">These targets take the prices when the list takes effect; all others keep theirs.</p>${body}</section>`;
}
