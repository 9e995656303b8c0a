/**
 * Sums, discounts and tax for estimate, quote, invoice, payment challenge and ledger. Rounds twice at most: the sum
 * of all percentage discounts, and the tax on the rest.
 */
import { toCents, computeShare, sum, type Cents } from '#core/money.ts';
import type { AppliedTax, Discount, LineItem } from './contract.ts';

const WHOLE_BASIS_POINTS = 10_000;

/** The tax of a buyer whose country has no rate. */
export const UNTAXED: AppliedTax = { name: 'Tax', rate_basis_points: 0, note: '' };

export interface Totals {
  readonly subtotal_cents: Cents;
  readonly tax_cents: Cents;
  readonly total_cents: Cents;
}

/** The lines add up to the subtotal; subtotal and tax add up to the total. Prices exclude tax. */
export function computeTotals(lines: readonly LineItem[], tax: AppliedTax): Totals {
  const subtotal = sum(lines.map((item) => toCents(item.total_cents)));
  const taxCents = computeShare(subtotal, tax.rate_basis_points, WHOLE_BASIS_POINTS);
  return { subtotal_cents: subtotal, tax_cents: taxCents, total_cents: sum([subtotal, taxCents]) };
}

/**
 * Discounts as lines with negative amounts. Percentages are of the sum of the lines, and consecutive ones are rounded
 * together: 10 % and 5 % together equal exactly 15 %.
 */
export function buildDiscountLines(lines: readonly LineItem[], discounts: readonly Discount[]): LineItem[] {
  const base = sum(lines.map((item) => toCents(item.total_cents)));
  let distributed = 0;
  return discounts.map((discount) => {
    const { description, basis_points: basisPoints = 0, amount_cents: amount = 0 } = discount;
    const before = computeShare(base, distributed, WHOLE_BASIS_POINTS);
    distributed += basisPoints;
    const off = toCents(amount + computeShare(base, distributed, WHOLE_BASIS_POINTS) - before);
    // `0 - off` avoids the negative zero of `-off`.
    const total = toCents(0 - off);
    return {
      description: withPercentage(description, basisPoints),
      quantity: 1,
      unit_price_cents: total,
      total_cents: total,
    };
  });
}

/** Adds the percentage, as in `Framework agreement, 10 %`, unless the description contains it. */
function withPercentage(description: string, basisPoints: number): string {
  const percent = String(basisPoints / 100);
  const isSaid = new RegExp(`(?<![\\d.])${percent.replace('.', '[.,]')}\\s?%`).test(description);
  return basisPoints === 0 || isSaid ? description : `${description}, ${percent} %`;
}
