/** What an experiment has of its order, and what the part that was not delivered cost. */
import { labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { findInvoiceOfExperiment } from '#domain/invoices/store.ts';
import { computeDeliveredTotals } from '#domain/pricing/rules.ts';
import { findQuote } from '#domain/quotes/store.ts';
import { formatShortfall, sumOrderCounts } from '#domain/results/against-order.ts';
import { selectOrderCounts } from '#domain/results/release-store.ts';

interface VersionOf {
  readonly experimentId: string;
  readonly version: number;
}

/** Says what results lack of the order, those of all sequences unless named; null where nothing is missing. */
export async function findShortfall(
  sql: Sql,
  of: VersionOf,
  names?: readonly string[],
): Promise<string | null> {
  const counts = await selectOrderCounts(labScope, sql, of);
  return formatShortfall(
    sumOrderCounts(names === undefined ? counts : counts.filter(({ name }) => names.includes(name))),
  );
}

/**
 * Computes the credit for what was not delivered: what was paid less the price of what was measured at the prices of
 * the quote, with tax, less what was refunded already. Null where nothing is missing or was paid, and for a quote by
 * hand, whose parts have no price. Nobody is credited by it; a person refunds.
 */
export async function describeShortfall(sql: Sql, of: VersionOf) {
  const counts = await selectOrderCounts(labScope, sql, of);
  const missing = formatShortfall(sumOrderCounts(counts));
  if (missing === null) return null;
  const invoice = await findInvoiceOfExperiment(labScope, sql, of.experimentId);
  const quote = invoice?.status === 'paid' ? await findQuote(labScope, sql, invoice.quote_id) : undefined;
  if (invoice === undefined || quote === undefined || quote.breakdown === null || invoice.tax === null)
    return { missing, invoice_id: null, credit_cents: null };
  const replicates = counts.map(({ n_replicates: measured }) => measured);
  const delivered = computeDeliveredTotals(quote.breakdown, replicates, invoice.tax);
  const kept = invoice.amount_paid_cents - invoice.amount_refunded_cents;
  return {
    missing,
    invoice_id: invoice.id,
    credit_cents: Math.max(0, kept - delivered.total_cents),
  };
}
