/** What a price of an antigen may be. Pure. */
import type { Problem } from '#core/failures.ts';
import type { TargetPricing } from './contract.ts';

/** As of a line of a quote by hand; sums of an order stay exact. */
export const PRICE_CENTS_MAX = 10_000_000_000;
const LOTS_MAX = 100;

export function isPrice(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= PRICE_CENTS_MAX;
}

/** `path` is the field that holds the price. */
export function findPricingProblems(pricing: TargetPricing | null, path: string): Problem[] {
  if (pricing === null) return [];
  if (pricing.type === 'per_sequence')
    return isPrice(pricing.price_per_sequence_cents)
      ? []
      : [{ path, message: `must have a price in whole cents, at most ${PRICE_CENTS_MAX}` }];
  const tiers = pricing.lot_prices;
  const isValid = tiers.every((tier) => isPrice(tier.price_usdcent) && isPrice(tier.num_sequences - 1));
  if (!isValid || tiers.length === 0 || tiers.length > LOTS_MAX)
    return [
      {
        path,
        message: `must give each lot a number of sequences and a price in whole cents, at most ${PRICE_CENTS_MAX}`,
      },
    ];
  return new Set(tiers.map((tier) => tier.num_sequences)).size === tiers.length
    ? []
    : [{ path, message: 'two lots are for the same number of sequences' }];
}

/** The price of an antigen in the cells of a CSV file: a price for each sequence, or lots as `sequences:cents`. Pure. */

const SEPARATOR = ';';
/** The columns of the two ways to price an antigen. */
export const PRICE_COLUMN = 'price_per_sequence_cents';
export const LOTS_COLUMN = 'lot_prices';

/** Writes the cells of both columns; one of them is empty, and both are for an antigen that is quoted by hand. */
export function writePricingCells(pricing: TargetPricing | null): readonly [price: string, lots: string] {
  if (pricing === null) return ['', ''];
  if (pricing.type === 'per_sequence') return [String(pricing.price_per_sequence_cents), ''];
  return [
    '',
    pricing.lot_prices.map((tier) => `${tier.num_sequences}:${tier.price_usdcent}`).join(`${SEPARATOR} `),
  ];
}

/** Returns the sentence of a problem where the cells are not valid. */
export function parsePricingCells(price: string, lots: string): TargetPricing | null | string {
  if (price !== '' && lots !== '') return `give ${PRICE_COLUMN} or ${LOTS_COLUMN}, not both`;
  if (price !== '') {
    if (!/^\d+$/.test(price)) return `${PRICE_COLUMN} "${price}" is not whole cents`;
    return { type: 'per_sequence', price_per_sequence_cents: Number(price) };
  }
  if (lots === '') return null;
  const tiers = lots
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((tier) => /^(\d+)\s*:\s*(\d+)$/.exec(tier));
  const validTiers = tiers.flatMap((tier) => (tier === null ? [] : [tier]));
  if (validTiers.length < tiers.length || validTiers.length === 0)
    return `${LOTS_COLUMN} "${lots}" is not of the form 24:50000; 96:150000 (sequences:cents)`;
  return {
    type: 'per_broken_lot',
    lot_prices: validTiers.map(([, sequences, cents]) => ({
      num_sequences: Number(sequences),
      price_usdcent: Number(cents),
    })),
  };
}
