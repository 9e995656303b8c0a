/** What an experiment has of its order, and what the part that was not delivered cost. */
import { fail } from '#core/failures.ts';
import { labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { findInvoiceOfExperiment } from '../invoices/store.ts';
import { computeDeliveredTotals } from '../pricing/rules.ts';
import { findQuote } from '../quotes/store.ts';
import { selectRefundsOfInvoice } from '../invoices/refunds/store.ts';
import {
  formatNamedShortfall,
  formatShortfall,
  sumOrderCounts,
  type NamedOrderCounts,
} from '../results/against-order.ts';
import { selectOrderCounts, type VersionOf } from '../results/release-store.ts';

/** Says what results lack of the order, those of all sequences unless named; null where nothing is missing. */
export async function findShortfall(
  sql: Sql,
  of: VersionOf,
  names?: readonly string[],
): Promise<string | null> {
  return formatShortfall(sumOrderCounts(await selectCounts(sql, of, names)));
}

/** Formats the sentence behind that of a release: what its results rest on, where that is less than was ordered. */
export function formatMissing(missing: string | null): string {
  return missing === null ? '' : ` They rest on ${missing}.`;
}

/** Selects the counts of all sequences unless some are named. */
export async function selectCounts(
  sql: Sql,
  of: VersionOf,
  names?: readonly string[],
): Promise<NamedOrderCounts[]> {
  const counts = await selectOrderCounts(labScope, sql, of);
  return names === undefined ? counts : counts.filter(({ name }) => names.includes(name));
}

const WAYS_OUT = {
  bring: 'give a reason to go on without the rest, or bring the rest',
  measure: 'give a reason to release without the rest, or have it measured',
};

/** Creates `less_than_ordered`, whose problem says beside the field of the reason what to do. */
export function createShortfallFailure(missing: string, way: keyof typeof WAYS_OUT): Error {
  const problems = [{ path: 'reason', message: `${missing}: ${WAYS_OUT[way]}` }];
  return fail('less_than_ordered', { missing }, { problems });
}

/**
 * Computes the credit for what was not delivered: what was paid less the price of what was measured at the prices of
 * the quote, with tax, less what credit notes give back, whether sent or not. Null where nothing is missing or was
 * paid, and for a quote by hand, whose parts have no price. Nobody is credited by it; a person refunds.
 */
export async function describeShortfall(sql: Sql, of: VersionOf) {
  const counts = await selectOrderCounts(labScope, sql, of);
  const missing = formatNamedShortfall(counts);
  if (missing === null) return null;
  const invoice = await findInvoiceOfExperiment(labScope, sql, of.experimentId);
  const quote = invoice?.status === 'paid' ? await findQuote(labScope, sql, invoice.quote_id) : undefined;
  if (invoice === undefined || quote === undefined || quote.breakdown === null || invoice.tax === null)
    return { missing, invoice_id: null, credit_cents: null, credit_notes: [] };
  const replicates = counts.map(({ n_replicates: measured }) => measured);
  const delivered = computeDeliveredTotals(quote.breakdown, replicates, invoice.tax);
  const refunds = await selectRefundsOfInvoice(labScope, sql, invoice.id);
  const credits = refunds.filter(({ is_credit: isCredit }) => isCredit);
  const keptCents = credits.reduce((cents, note) => cents - note.amount_cents, invoice.amount_paid_cents);
  return {
    missing,
    invoice_id: invoice.id,
    credit_cents: Math.max(0, keptCents - delivered.total_cents),
    credit_notes: credits.map((note) => note.credit_note_number),
  };
}
