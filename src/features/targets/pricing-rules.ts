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
