import { addMs, DAY_MS } from '#core/clock.ts';
import { fail, type Failure } from '#core/failures.ts';

const QUOTE_VALIDITY_MS = 30 * DAY_MS;

export const TERMS_AND_CONDITIONS =
  'Prices are in US dollars and exclude tax. The quote is valid until the date shown. Work starts when the materials have arrived and the invoice is paid.';

export function computeValidUntil(from: Date): Date {
  return addMs(from, QUOTE_VALIDITY_MS);
}

export function formatQuoteNumber(year: number, number: number): string {
  return `Q-${year}-${number.toString().padStart(5, '0')}`;
}

interface Decidable {
  readonly status: 'draft' | 'open' | 'accepted' | 'canceled' | 'stale';
  readonly valid_until: string;
}

/** Throws unless a client may accept or reject the quote now; the failure names its status. */
export function refuseIfNotOpen(quote: Decidable, now: Date): void {
  if (quote.status === 'accepted') throw fail('quote_already_accepted');
  if (quote.status === 'canceled') throw fail('quote_canceled');
  const expired = quote.status === 'stale' || (quote.status === 'open' && isPast(quote.valid_until, now));
  if (expired) throw fail('quote_expired', { valid_until: quote.valid_until.slice(0, 10) });
  if (quote.status !== 'open') throw fail('quote_not_open', { status: quote.status });
}

export function isPast(validUntilText: string, now: Date): boolean {
  return Date.parse(validUntilText) <= now.getTime();
}

const QUOTE_ID = /^qt_/;

/** Says which operation takes an experiment where the id is none of a quote, whether or not it is of an experiment. */
export function createQuoteNotFoundFailure(
  quoteId: string,
  ofExperiment: { readonly id: string; readonly method: string; readonly path: string },
): Failure {
  if (QUOTE_ID.test(quoteId)) return fail('quote_not_found');
  const { id, method, path } = ofExperiment;
  const call = `${id} (${method} ${path.replace(/\{\w+\}/, 'CODE')})`;
  const message = `must be the id of a quote, which begins with qt_; with the id or code of an experiment, call ${call}`;
  return fail('quote_not_found', {}, { problems: [{ path: 'quote_id', message }] });
}

/** Why an experiment has no quote that a client could read or accept. */
export function createQuoteNotReadyFailure(experimentStatus: string): Failure {
  const isDraft = experimentStatus === 'draft';
  return fail('quote_not_ready', {
    reason: isDraft ? 'submit the experiment, so that the lab prices it' : 'the lab prepares it',
  });
}

/** Why a client rejects a quote. */
export const rejectionReasons = ['price', 'scope', 'timeline', 'budget', 'other'] as const;
