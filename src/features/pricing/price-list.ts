/** A price list as a record: what may stand in it, what an order finds in it, how two of them differ. Pure. */
import { findLineProblem } from '#core/one-line.ts';
import type { Problem } from '#core/failures.ts';
import { hasTarget } from '#assays/registry.ts';
import type { TargetPricing } from '../targets/contract.ts';
import { findPricingProblems, isPrice } from '../targets/pricing-rules.ts';

export interface AssayPrice {
  readonly unit_price_cents: number;
  readonly replicate_price_cents: number;
}

export interface PriceEntry extends AssayPrice {
  readonly experiment_type: string;
  /** Null: every method without an entry of its own, and assays without a method. */
  readonly method: string | null;
}

export interface VolumeDiscount {
  /** Null: assays without a discount of their own. */
  readonly experiment_type: string | null;
  readonly sequences_min: number;
  readonly basis_points: number;
}

export interface MaterialPrice {
  readonly target_id: string;
  readonly pricing: TargetPricing | null;
}

/** A list as a calculation needs it. */
export interface PriceList {
  readonly version: string;
  readonly prices: readonly PriceEntry[];
  readonly volume_discounts: readonly VolumeDiscount[];
}

export interface PriceListContent {
  readonly effective_from: string;
  readonly note: string;
  readonly prices: readonly PriceEntry[];
  readonly volume_discounts: readonly VolumeDiscount[];
  readonly materials: readonly MaterialPrice[];
}

/** Finds the price of the method itself, or else the one for every method. */
export function findAssayPrice(
  list: Pick<PriceList, 'prices'>,
  experimentType: string,
  method: string | null,
): AssayPrice | undefined {
  const own = list.prices.filter((entry) => entry.experiment_type === experimentType);
  return own.find((entry) => entry.method === method) ?? own.find((entry) => entry.method === null);
}

/** Finds the highest threshold that the order reaches, among the discounts of its assay or else the general ones. */
export function findVolumeDiscount(
  list: Pick<PriceList, 'volume_discounts'>,
  experimentType: string,
  sequenceCount: number,
): VolumeDiscount | undefined {
  const own = list.volume_discounts.filter((discount) => discount.experiment_type === experimentType);
  const fitting =
    own.length > 0 ? own : list.volume_discounts.filter((discount) => discount.experiment_type === null);
  return fitting
    .filter((discount) => discount.sequences_min <= sequenceCount)
    .toSorted((a, b) => b.sequences_min - a.sequences_min)[0];
}

export const nameEntry = ({ experiment_type: type, method }: Omit<PriceEntry, keyof AssayPrice>): string =>
  method === null ? type : `${type} by ${method}`;
const getDiscountKey = (discount: VolumeDiscount): string =>
  `${discount.experiment_type ?? 'any'} ${discount.sequences_min}`;

/** The version has the date with four digits of the year. */
const YEAR_MAX = 9_999;

export function findPriceListProblems(list: PriceListContent): Problem[] {
  const problems: Problem[] = [];
  const refuse = (path: string, message: string) => problems.push({ path, message });
  const year = new Date(list.effective_from).getUTCFullYear();
  if (!(year >= 1_970 && year <= YEAR_MAX))
    refuse('effective_from', `must be a moment from 1970 to ${YEAR_MAX}`);
  const inNote = findLineProblem(list.note);
  if (inNote !== undefined) refuse('note', inNote);
  for (const [index, entry] of list.prices.entries()) {
    const path = `prices[${index}]`;
    if (!isPrice(entry.unit_price_cents) || !isPrice(entry.replicate_price_cents))
      refuse(path, 'needs prices in whole cents');
    if (entry.method !== null && !hasTarget(entry.experiment_type))
      refuse(`${path}.method`, `must be null, because ${entry.experiment_type} takes no method`);
  }
  const refuseRepeated = (field: string, keys: readonly string[]): void => {
    for (const [index, key] of keys.entries())
      if (keys.indexOf(key) < index) refuse(`${field}[${index}]`, `repeats ${key}`);
  };
  refuseRepeated('prices', list.prices.map(nameEntry));
  refuseRepeated('volume_discounts', list.volume_discounts.map(getDiscountKey));
  const firstOf = new Map<string, number>();
  for (const [index, { target_id: id, pricing }] of list.materials.entries()) {
    if (firstOf.has(id)) refuse(`materials[${index}]`, `repeats the target of materials[${firstOf.get(id)}]`);
    else firstOf.set(id, index);
    problems.push(...findPricingProblems(pricing, `materials[${index}].pricing`));
  }
  return problems;
}

/** A list that takes effect later than its publication keeps its moment; an earlier one takes effect at once. */
export function computeEffect(effectiveFrom: Date, publishedAt: Date): Date {
  return effectiveFrom > publishedAt ? effectiveFrom : publishedAt;
}

/** Such as `v2_2026-07-01`. */
export function formatVersion(number: number, effectiveFrom: Date): string {
  return `v${number}_${effectiveFrom.toISOString().slice(0, 'YYYY-MM-DD'.length)}`;
}

interface Change<Value> {
  readonly before: Value | null;
  readonly after: Value | null;
}

/** Pairs the items of two lists by a key and keeps the pairs that differ. */
function listChangedPairs<Item, Value>(
  before: readonly Item[],
  after: readonly Item[],
  getKey: (item: Item) => string,
  getValue: (item: Item) => Value,
): (Change<Value> & { readonly item: Item })[] {
  const former = new Map(before.map((item) => [getKey(item), item] as const));
  const latter = new Map(after.map((item) => [getKey(item), item] as const));
  return [...new Map([...former, ...latter])].flatMap(([key, item]) => {
    const [old, present] = [former.get(key), latter.get(key)];
    const change = {
      item,
      before: old === undefined ? null : getValue(old),
      after: present === undefined ? null : getValue(present),
    };
    return JSON.stringify(change.before) === JSON.stringify(change.after) ? [] : [change];
  });
}

type Compared = Pick<PriceListContent, 'prices' | 'volume_discounts'>;

export function comparePriceLists(before: Compared, after: Compared) {
  return {
    prices: listChangedPairs(
      before.prices,
      after.prices,
      nameEntry,
      ({ unit_price_cents, replicate_price_cents }) => ({
        unit_price_cents,
        replicate_price_cents,
      }),
    ).map(({ item: { experiment_type, method }, ...change }) => ({ experiment_type, method, ...change })),
    volume_discounts: listChangedPairs(
      before.volume_discounts,
      after.volume_discounts,
      getDiscountKey,
      ({ basis_points }) => basis_points,
    ).map(({ item: { experiment_type, sequences_min }, ...change }) => ({
      experiment_type,
      sequences_min,
      ...change,
    })),
  };
}

export interface PricedOffer {
  readonly experiment_type: string;
  readonly methods: readonly string[];
}

/** What clients could choose and not order, because the list has no price for it. */
export function listUnpriced(
  list: Pick<PriceList, 'prices'>,
  offered: readonly PricedOffer[],
): Omit<PriceEntry, keyof AssayPrice>[] {
  return offered.flatMap(({ experiment_type, methods }) =>
    (methods.length === 0 ? [null] : methods)
      .filter((method) => findAssayPrice(list, experiment_type, method) === undefined)
      .map((method) => ({ experiment_type, method })),
  );
}
