/**
 * Double-entry bookkeeping: every posting is checked to balance before it is written.
 * This folder: double-entry books, and the books of others that they are compared with. Not here: how money moves
 * (`features/payments`).
 */
import { toCents, sum, type Cents } from '#core/money.ts';

/**
 * `receivable`: what clients owe. `cash`: money that arrived, by rail. `deferred_revenue`: work still to be done.
 * `revenue`: work that was released. `tax`: owed to the authority. `refunds`: owed back to clients and not sent yet.
 * `bad_debt`: given up.
 */
export type Account = 'receivable' | 'cash' | 'deferred_revenue' | 'revenue' | 'tax' | 'refunds' | 'bad_debt';

export type PostingKind =
  | 'invoice_finalized'
  | 'payment_settled'
  | 'payment_surplus'
  | 'invoice_voided'
  | 'invoice_written_off'
  | 'write_off_reversed'
  | 'credit_issued'
  | 'refund_sent'
  | 'revenue_recognized';

export interface Entry {
  readonly account: Account;
  readonly debitCents: Cents;
  readonly creditCents: Cents;
}

/** Debits less credits by account, in cents. */
export type Balances = Readonly<Partial<Record<Account, number>>>;

const zero = toCents(0);
const debit = (account: Account, amount: Cents): Entry => ({
  account,
  debitCents: amount,
  creditCents: zero,
});
const createCredit = (account: Account, amount: Cents): Entry => ({
  account,
  debitCents: zero,
  creditCents: amount,
});

/** Entries for a finalized invoice: the client owes the total; the lab owes the work and the tax. */
export function buildFinalizedEntries(subtotal: Cents, tax: Cents): Entry[] {
  return removeZeroEntries([
    debit('receivable', sum([subtotal, tax])),
    createCredit('deferred_revenue', subtotal),
    createCredit('tax', tax),
  ]);
}

export function buildSettledEntries(total: Cents): Entry[] {
  return removeZeroEntries([debit('cash', total), createCredit('receivable', total)]);
}

/** Builds the entries for money that the client did not owe: it arrived, so it is owed to the client. */
export function buildSurplusEntries(amount: Cents): Entry[] {
  return removeZeroEntries([debit('cash', amount), createCredit('refunds', amount)]);
}

/** Entries for a credit: it reduces deferred revenue first, then revenue. */
export function buildCreditedEntries(net: Cents, tax: Cents, balances: Balances): Entry[] {
  const deferred = Math.max(0, -(balances.deferred_revenue ?? 0));
  const fromDeferred = toCents(Math.min(net, deferred));
  return removeZeroEntries([
    debit('deferred_revenue', fromDeferred),
    debit('revenue', toCents(net - fromDeferred)),
    debit('tax', tax),
    createCredit('refunds', sum([net, tax])),
  ]);
}

export function buildRefundSentEntries(amount: Cents): Entry[] {
  return removeZeroEntries([debit('refunds', amount), createCredit('cash', amount)]);
}

/** Entries that turn all deferred revenue into revenue: at the release, or for the part kept of a canceled order. */
export function buildRecognizedEntries(balances: Balances): Entry[] {
  const deferred = toCents(Math.max(0, -(balances.deferred_revenue ?? 0)));
  return removeZeroEntries([debit('deferred_revenue', deferred), createCredit('revenue', deferred)]);
}

export function buildWrittenOffEntries(total: Cents): Entry[] {
  return removeZeroEntries([debit('bad_debt', total), createCredit('receivable', total)]);
}

export function buildWriteOffReversedEntries(total: Cents): Entry[] {
  return removeZeroEntries([debit('receivable', total), createCredit('bad_debt', total)]);
}

/** Entries that reverse everything posted for an unpaid invoice. */
export function buildReversedEntries(balances: Balances): Entry[] {
  const accounts: Account[] = ['receivable', 'deferred_revenue', 'revenue', 'tax', 'bad_debt'];
  return accounts.flatMap((account) => {
    const balance = balances[account] ?? 0;
    if (balance === 0) return [];
    return [balance > 0 ? createCredit(account, toCents(balance)) : debit(account, toCents(-balance))];
  });
}

function removeZeroEntries(entries: readonly Entry[]): Entry[] {
  return entries.filter((entry) => entry.debitCents !== 0 || entry.creditCents !== 0);
}

export function assertBalanced(entries: readonly Entry[]): void {
  const debits = sum(entries.map((entry) => entry.debitCents));
  const credits = sum(entries.map((entry) => entry.creditCents));
  if (debits !== credits) throw new Error(`unbalanced posting: debits ${debits}, credits ${credits}`);
}
