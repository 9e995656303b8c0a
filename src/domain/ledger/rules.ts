/** Double-entry bookkeeping: every posting balances before it is written. */
import { cents, sum, type Cents } from '#core/money.ts';

export type Account = 'receivable' | 'cash' | 'deferred_revenue' | 'revenue' | 'tax' | 'refunds';

export interface Entry {
  readonly account: Account;
  readonly debitCents: Cents;
  readonly creditCents: Cents;
}

const zero = cents(0);
const debit = (account: Account, amount: Cents): Entry => ({
  account,
  debitCents: amount,
  creditCents: zero,
});
const credit = (account: Account, amount: Cents): Entry => ({
  account,
  debitCents: zero,
  creditCents: amount,
});

/** The client owes the total; the lab owes the work and the tax. */
export function finalizedEntries(subtotal: Cents, tax: Cents): Entry[] {
  return nonZero([
    debit('receivable', sum([subtotal, tax])),
    credit('deferred_revenue', subtotal),
    credit('tax', tax),
  ]);
}

export function settledEntries(total: Cents): Entry[] {
  return nonZero([debit('cash', total), credit('receivable', total)]);
}

function nonZero(entries: readonly Entry[]): Entry[] {
  return entries.filter((entry) => entry.debitCents !== 0 || entry.creditCents !== 0);
}

export function assertBalanced(entries: readonly Entry[]): void {
  const debits = sum(entries.map((entry) => entry.debitCents));
  const credits = sum(entries.map((entry) => entry.creditCents));
  if (debits !== credits) throw new Error(`unbalanced posting: debits ${debits}, credits ${credits}`);
}
