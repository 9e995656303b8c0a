/**
 * The price of an experiment. This is the only calculation; estimate, quote, invoice and ledger use it. Every amount
 * is a whole number of cents. Prices exclude tax, which `totals.ts` adds.
 */
import { formatCount } from '#core/words.ts';
import { computeShare, toCents, sum, multiplyCents, type Cents } from '#core/money.ts';
import { findAssay } from '#assays/registry.ts';
import type { TargetPricing, TargetReference } from '../targets/contract.ts';
import type {
  AppliedTax,
  AssayCost,
  CostBreakdown,
  ExperimentCosts,
  IncompleteCostEstimate,
  LineItem,
  LotAllocation,
  MaterialCost,
} from './contract.ts';
import { findAssayPrice, findVolumeDiscount, type AssayPrice, type PriceList } from './price-list.ts';
import { buildDiscountLines, computeTotals, type Totals } from './totals.ts';

/** The antigen of a binding assay for pricing; null pricing means that the lab quotes it by hand. */
export interface PricedTarget {
  readonly reference: TargetReference;
  readonly pricing: TargetPricing | null;
  /** The request of an antigen that the catalog lacks. */
  readonly requestId?: string | undefined;
}

export interface PriceRequest {
  readonly experiment_type: string;
  /** Null for assays without a method. */
  readonly method: string | null;
  readonly sequence_count: number;
  readonly n_replicates: number;
  /** Undefined for assays without an antigen. */
  readonly target?: PricedTarget | undefined;
}

export type Price =
  | {
      readonly kind: 'complete';
      readonly breakdown: CostBreakdown;
      readonly lines: readonly LineItem[];
      readonly totals: Totals;
      readonly tax: AppliedTax;
    }
  | { readonly kind: 'incomplete'; readonly incomplete: IncompleteCostEstimate };

/** Antigen used per sequence; converts a lot for n sequences into micrograms. */
const ANTIGEN_UG_PER_SEQUENCE = 10;

/** Returns undefined when the list has no price for the assay by its method. */
export function computePrice(request: PriceRequest, list: PriceList, tax: AppliedTax): Price | undefined {
  const assayPrice = findAssayPrice(list, request.experiment_type, request.method);
  if (assayPrice === undefined) return undefined;
  const assay = computeAssayCost(request, assayPrice);
  const discount = buildVolumeDiscount(request, list, assay);
  if (request.target === undefined) return complete({ assay, pricing_version: list.version }, discount, tax);
  const { reference, pricing, requestId = '' } = request.target;
  if (pricing === null) {
    return {
      kind: 'incomplete',
      incomplete: {
        assay,
        materials_unavailable: {
          reason: `${reference.name} has no immediate price; the lab quotes it by hand.`,
          target: reference,
          target_id: reference.target_catalog_id ?? requestId,
          target_name: reference.name,
        },
        pricing_version: list.version,
        total_cents: null,
      },
    };
  }
  const materials = computeMaterialCost(request.sequence_count, reference, pricing);
  return complete({ assay, materials, pricing_version: list.version }, discount, tax);
}

type Parts = Omit<CostBreakdown, 'discount_cents' | 'total_cents'>;

/** The total is assay and materials less the discount. */
function complete(parts: Parts, discount: readonly LineItem[], tax: AppliedTax): Price {
  const off = toCents(0 - sum(discount.map((line) => toCents(line.total_cents))));
  const { assay, materials } = parts;
  const whole = sum([toCents(assay.subtotal_cents), toCents(materials?.subtotal_cents ?? 0)]);
  const breakdown: CostBreakdown = {
    ...parts,
    ...(off === 0 ? {} : { discount_cents: off }),
    total_cents: toCents(whole - off),
  };
  const lines = [...buildQuoteLines(breakdown), ...discount];
  const totals = computeTotals(lines, tax);
  if (totals.subtotal_cents !== breakdown.total_cents)
    throw new Error('quote lines do not add up to the estimate');
  return { kind: 'complete', breakdown, lines, totals, tax };
}

/** The line of the discount by volume; none where the order reaches no threshold. It is a share of the assay alone. */
function buildVolumeDiscount(request: PriceRequest, list: PriceList, assay: AssayCost): LineItem[] {
  const discount = findVolumeDiscount(list, request.experiment_type, request.sequence_count);
  if (discount === undefined) return [];
  const lines = [buildAssayLine(assay)];
  const description = `Volume discount from ${formatCount(discount.sequences_min, 'sequence')}`;
  const [line] = buildDiscountLines(lines, [{ description, basis_points: discount.basis_points }]);
  return line === undefined || line.total_cents === 0 ? [] : [line];
}

function computeAssayCost(request: PriceRequest, price: AssayPrice): AssayCost {
  const perSequence = computePricePerSequence(price, request.n_replicates);
  return {
    experiment_type: request.experiment_type,
    n_replicates: request.n_replicates,
    replicate_price_cents: price.replicate_price_cents,
    sequence_count: request.sequence_count,
    subtotal_cents: multiplyCents(perSequence, request.sequence_count),
    unit_price_cents: price.unit_price_cents,
  };
}

function computePricePerSequence(price: AssayPrice, nReplicates: number): Cents {
  const further = Math.max(0, nReplicates - 1);
  return sum([toCents(price.unit_price_cents), multiplyCents(toCents(price.replicate_price_cents), further)]);
}

function computeMaterialCost(
  count: number,
  reference: TargetReference,
  pricing: TargetPricing,
): MaterialCost {
  const common = {
    sequence_count: count,
    target: reference,
    target_id: reference.target_catalog_id ?? '',
    target_name: reference.name,
  };
  if (pricing.type === 'per_sequence') {
    const subtotal = multiplyCents(toCents(pricing.price_per_sequence_cents), count);
    return {
      type: 'per_sequence',
      price_per_sequence_cents: pricing.price_per_sequence_cents,
      subtotal_cents: subtotal,
      ...common,
    };
  }
  const lots = findCheapestLots(count, pricing.lot_prices);
  const subtotal = sum(lots.map((lot) => multiplyCents(toCents(lot.lot_price_cents), lot.quantity)));
  return { type: 'per_broken_lot', lots, subtotal_cents: subtotal, ...common };
}

interface LotTier {
  readonly num_sequences: number;
  readonly price_usdcent: number;
}

/**
 * The cheapest set of lots that is enough for `sequenceCount` sequences (an unbounded covering problem, solved
 * exactly). Of equally cheap sets the one with fewer lots is chosen.
 */
function findCheapestLots(sequenceCount: number, tiers: readonly LotTier[]): LotAllocation[] {
  const best = [{ price: 0, lots: 0, tier: -1 }];
  for (let needed = 1; needed <= sequenceCount; needed++) {
    let choice = { price: Number.POSITIVE_INFINITY, lots: 0, tier: -1 };
    for (const [index, tier] of tiers.entries()) {
      const rest = best[Math.max(0, needed - tier.num_sequences)];
      const price = rest.price + tier.price_usdcent;
      const lots = rest.lots + 1;
      if (price < choice.price || (price === choice.price && lots < choice.lots)) {
        choice = { price, lots, tier: index };
      }
    }
    best[needed] = choice;
  }
  const quantities = new Map<number, number>();
  for (let needed = sequenceCount; needed > 0;) {
    const { tier } = best[needed];
    quantities.set(tier, (quantities.get(tier) ?? 0) + 1);
    needed = Math.max(0, needed - tiers[tier].num_sequences);
  }
  return [...quantities.entries()]
    .sort(([a], [b]) => a - b)
    .map(([tier, quantity]) => ({
      lot_price_cents: tiers[tier].price_usdcent,
      lot_size_ug: tiers[tier].num_sequences * ANTIGEN_UG_PER_SEQUENCE,
      num_sequences: tiers[tier].num_sequences,
      quantity,
    }));
}

/**
 * Computes what the delivered part of an order costs at the prices of its quote: `replicates` has the measured ones of
 * each sequence, 0 for a sequence without data. A discount by volume keeps its share of the assay.
 */
export function computeDeliveredTotals(
  { assay, materials, discount_cents: discount = 0 }: CostBreakdown,
  replicates: readonly number[],
  tax: AppliedTax,
): Totals {
  const delivered = replicates.map((each) => Math.min(each, assay.n_replicates)).filter((each) => each > 0);
  const lines = [...Map.groupBy(delivered, (each) => each)].map(([n_replicates, { length }]) =>
    buildAssayLine({ ...assay, n_replicates, sequence_count: length }),
  );
  const measured = sum(lines.map(({ total_cents: cents }) => toCents(cents)));
  const off = computeShare(measured, discount, assay.subtotal_cents);
  const total = toCents(measured - off + computeDeliveredMaterials(materials, delivered.length));
  return computeTotals([buildLine('Delivered', 1, total)], tax);
}

function computeDeliveredMaterials(materials: CostBreakdown['materials'], sequenceCount: number): Cents {
  if (materials === undefined || materials === null || sequenceCount === 0) return toCents(0);
  if (materials.type === 'per_sequence')
    return multiplyCents(toCents(materials.price_per_sequence_cents), sequenceCount);
  const tiers = materials.lots.map((lot) => ({
    num_sequences: lot.num_sequences,
    price_usdcent: lot.lot_price_cents,
  }));
  return sum(
    findCheapestLots(sequenceCount, tiers).map((lot) =>
      multiplyCents(toCents(lot.lot_price_cents), lot.quantity),
    ),
  );
}

/** Builds the lines of a quote and its invoice; with the discount they add up to the breakdown's total. */
function buildQuoteLines(breakdown: CostBreakdown): LineItem[] {
  const { assay, materials } = breakdown;
  const lines = [buildAssayLine(assay)];
  if (materials?.type === 'per_sequence') {
    const price = toCents(materials.price_per_sequence_cents);
    lines.push(buildLine(`Target material ${materials.target_name}`, materials.sequence_count, price));
  } else if (materials?.type === 'per_broken_lot') {
    for (const lot of materials.lots) {
      const label = `Target material ${materials.target_name}, lot for ${formatCount(lot.num_sequences, 'sequence')}`;
      lines.push(buildLine(label, lot.quantity, toCents(lot.lot_price_cents)));
    }
  }
  return lines;
}

function buildAssayLine(assay: AssayCost): LineItem {
  const name = findAssay(assay.experiment_type)?.invoiceName ?? `${assay.experiment_type} assay`;
  const replicates = formatCount(assay.n_replicates, 'replicate');
  const unit = computePricePerSequence(assay, assay.n_replicates);
  return buildLine(`${name}, ${replicates} per sequence`, assay.sequence_count, unit);
}

function buildLine(description: string, quantity: number, unit: Cents): LineItem {
  return { description, quantity, unit_price_cents: unit, total_cents: multiplyCents(unit, quantity) };
}

/** Shows a price as the costs of an experiment that has no invoice yet. */
export function describeEstimate(price: Price): ExperimentCosts {
  return price.kind === 'complete'
    ? { type: 'estimate', breakdown: price.breakdown, totals: buildEstimatedTotals(price) }
    : { type: 'incomplete_estimate', ...price.incomplete };
}

export function buildEstimatedTotals({ totals, tax }: Extract<Price, { kind: 'complete' }>) {
  return { ...totals, tax };
}
