/** What updates say of the things that they are about. */
import { RESULT_IDS_MAX, type UpdateDetails } from './types.ts';

/** Name of the updates that say how far an analysis is. */
export const ANALYSIS_PROGRESS = 'Analysis in progress';

/** Values of one field before and after. */
interface Change {
  readonly previous: string | null;
  readonly current: string | null;
}

interface QuoteFacts {
  readonly id: string;
  readonly quote_number: string;
  readonly total_cents: number;
  readonly currency: string;
}

interface InvoiceFacts {
  readonly id: string;
  readonly invoice_number: string | null;
  readonly quote_id: string;
  readonly total_cents: number;
  readonly currency: string;
}

interface RefundFacts {
  readonly invoice_id: string;
  readonly credit_note_number: string;
  readonly amount_cents: number;
  readonly currency: string;
}

export function describeStatus(previous: string | null, current: string | null): Partial<UpdateDetails> {
  return { previous: { status: previous }, current: { status: current } };
}

export function describeQuote(quote: QuoteFacts, change?: Change): UpdateDetails {
  const { id, quote_number, total_cents, currency } = quote;
  const status = change === undefined ? {} : describeStatus(change.previous, change.current);
  return { quote_id: id, quote_number, amount_cents: total_cents, currency, ...status };
}

export function describeInvoice(invoice: InvoiceFacts, change: Change): UpdateDetails {
  const { id, invoice_number, quote_id, total_cents, currency } = invoice;
  return {
    invoice_id: id,
    invoice_number,
    quote_id,
    amount_cents: total_cents,
    currency,
    ...describeStatus(change.previous, change.current),
  };
}

export function describeRefund(refund: RefundFacts): UpdateDetails {
  const { invoice_id, credit_note_number, amount_cents, currency } = refund;
  return { invoice_id, credit_note_number, amount_cents, currency };
}

export function describeResults(ids: readonly string[], version: number): UpdateDetails {
  return {
    result_ids: ids.slice(0, RESULT_IDS_MAX),
    result_count: ids.length,
    results_version: version,
  };
}
