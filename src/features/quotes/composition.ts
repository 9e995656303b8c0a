/** Computes the lines of a quote from the entries of staff. */
import type { Problem } from '#core/failures.ts';
import { toCents, sum, multiplyCents } from '#core/money.ts';
import type { AppliedTax, LineItem } from '../pricing/contract.ts';
import { buildDiscountLines, computeTotals, type Totals } from '../pricing/totals.ts';
import type { Composition } from './lab-contract.ts';

export const CUSTOM_PRICING = 'custom';
/** Ten billion dollars; far below the sums where cents or base units lose exactness. */
const TOTAL_CENTS_MAX = 1_000_000_000_000;

export type Composed =
  | { readonly lines: LineItem[]; readonly totals: Totals; readonly problems: readonly [] }
  | { readonly problems: readonly Problem[] };

export function composeQuote(composition: Composition, tax: AppliedTax): Composed {
  const problems = composition.discounts.flatMap((discount, index) => {
    const amounts = [discount.basis_points, discount.amount_cents].filter((value) => value !== undefined);
    const message = 'takes either basis_points or amount_cents';
    return amounts.length === 1 ? [] : [{ path: `discounts[${index}]`, message }];
  });
  if (problems.length > 0) return { problems };
  // The sum is checked before it is converted to money: above this limit a product may not be a whole number of
  // cents.
  const whole = composition.line_items.reduce((sum, item) => sum + item.quantity * item.unit_price_cents, 0);
  if (whole > TOTAL_CENTS_MAX)
    return { problems: [{ path: 'line_items', message: `come to more than ${TOTAL_CENTS_MAX} cents` }] };
  const items = composition.line_items.map((item) => ({
    ...item,
    total_cents: multiplyCents(toCents(item.unit_price_cents), item.quantity),
  }));
  const off = buildDiscountLines(items, composition.discounts);
  const discounted = sum(off.map((line) => toCents(line.total_cents)));
  if (discounted + whole < 0)
    return { problems: [{ path: 'discounts', message: 'take off more than the lines come to' }] };
  const lines = [...items, ...off];
  return { lines, totals: computeTotals(lines, tax), problems: [] };
}
