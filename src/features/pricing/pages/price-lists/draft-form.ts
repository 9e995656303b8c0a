/** The fields of a draft of prices, and the body that they make. */
import type { Problem } from '#core/failures.ts';
import type { Output } from '#core/operation.ts';
import { bindingMethods } from '../../assay-types/rules.ts';
import { hasTarget } from '#assays/registry.ts';
import { experimentTypes } from '../../../experiments/types.ts';
import type { getPriceList } from '../../list-contract.ts';
import { parseCents } from '#ui/amount.ts';
import { getField, type Form } from '#ui/http.ts';
import { toSentenceCase } from '#ui/words.ts';
import { formatAmount } from '../../../targets/pages/catalog/entry-form.ts';
import { formatMaterials, parseMaterials } from './material-lines.ts';

export type PriceList = Output<typeof getPriceList>;

/** A form has at most 200 fields. */
const DISCOUNTS_MAX = 40;
const BLANK_DISCOUNTS = 2;
/** A text of more lines is a matter for a file. */
const MATERIALS_MAX = 500;
const POINTS_PER_PERCENT = 100;

export interface PriceRow {
  /** The assay and the method, or `any`, joined by `_`. */
  readonly key: string;
  readonly experimentType: string;
  /** Null: every method without a price of its own. */
  readonly method: string | null;
  readonly unit: string;
  readonly further: string;
}

export interface DiscountRow {
  /** Empty: every assay without a discount of its own. */
  readonly experimentType: string;
  readonly from: string;
  readonly percent: string;
}

/** The values of the form, as they were typed. */
export interface PriceDraft {
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
        unit: entry === undefined ? '' : formatAmount(entry.unit_price_cents),
        further: entry === undefined ? '' : formatAmount(entry.replicate_price_cents),
      };
    }),
    discounts:
      discounts.length > DISCOUNTS_MAX
        ? null
        : discounts.map((discount) => ({
            experimentType: discount.experiment_type ?? '',
            from: String(discount.sequences_min),
            percent: String(discount.basis_points / POINTS_PER_PERCENT),
          })),
    materials: materials.length > MATERIALS_MAX ? null : formatMaterials(materials, numbers),
  };
}

/** Adds empty rows to fill in. */
export function padDiscounts(discounts: readonly DiscountRow[]): DiscountRow[] {
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
    sequences_min: toNumber(from),
    basis_points: toPoints(percent),
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

/** A text that is no number stays text, so that the operation names the problem. */
function toNumber(text: string): number | string {
  const value = Number(text);
  return text !== '' && Number.isFinite(value) ? value : text;
}

function toPoints(percent: string): number | string {
  const value = toNumber(percent);
  return typeof value === 'number' ? Number((value * POINTS_PER_PERCENT).toPrecision(12)) : value;
}

const MESSAGES: Readonly<Record<string, string>> = {
  unit_price_cents: 'The price is an amount such as 199.00.',
  replicate_price_cents: 'The price of a further replicate is an amount such as 49.00.',
  sequences_min: 'The discount begins at a whole number of sequences, 2 or more.',
  basis_points: 'A percentage is above 0 and at most 100, with two decimals.',
};

/** Problems by row: the key of a price, `discount_0`, `materials`, or the name of a field. */
export function locateProblems(
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
