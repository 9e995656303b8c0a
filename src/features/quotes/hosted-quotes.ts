/**
 * Copies of our quotes at an outside processor: opened after ours is open, canceled when ours ends, and accepted
 * during the creation of the invoice. Our quote is authoritative; the copy never changes it. When the processor
 * rejects the copy, the invoice is made without it.
 */
import { getErrorMessage } from '#core/records.ts';
import { addMs } from '#core/clock.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import { findExperiment } from '../experiments/store.ts';
import { findInvoiceOfAcceptance, type InvoiceRow } from '../invoices/store.ts';
import {
  claimProcessorQuote,
  listDueProcessorQuotes,
  findProcessorQuote,
  updateQuoteAttempt,
  postponeProcessorQuote,
  recordProcessorQuote,
  type ProcessorQuoteRow,
} from '../payments/processor-store.ts';
import { PROCESSOR_ATTEMPT_MS, PROCESSOR_CLAIM_MS, computeProcessorRetryMs } from '../payments/rules.ts';
import {
  ProcessorRefusedError,
  ProcessorUnclearError,
  type ProcessorQuote,
  type ProcessorQuotes,
  type QuoteOrder,
} from '../payments/processor.ts';
import { isPast } from './rules.ts';
import { findQuote, type QuoteRow } from './store.ts';
import {
  ensureCustomer,
  DUE_BATCH,
  buildLines,
  type Asking,
  type HostedParts,
} from '../payments/hosted-parts.ts';
import { recordChange } from '../audit/record-change.ts';

interface AskingQuotes extends Asking {
  readonly quotes: ProcessorQuotes;
}

/** The chore behind the job: handles every due quote. */
export async function attendDueQuotes(parts: HostedParts): Promise<void> {
  const { database, work, processors } = parts;
  const names = [...processors.byName.keys()];
  const selection = { now: work.clock.now(), limit: DUE_BATCH, processors: names };
  const due = await listDueProcessorQuotes(labScope, database.read, selection);
  const outcomes = await Promise.allSettled(due.map((id) => attendQuote(parts, id)));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** Does one step with the processor for one quote. An unclear outcome is recorded and tried again. */
export async function attendQuote(parts: HostedParts, quoteId: string): Promise<void> {
  const { database, work } = parts;
  const now = work.clock.now();
  const until = addMs(now, PROCESSOR_CLAIM_MS);
  const processors = [...parts.processors.byName.keys()];
  const row = await claimProcessorQuote(labScope, database.read, quoteId, { now, until, processors });
  const processor = row === undefined ? undefined : parts.processors.byName.get(row.processor);
  if (row === undefined || processor === undefined || processor.quotes === null) return;
  const asking = { ...parts, processor, quotes: processor.quotes };
  try {
    const quote = await findQuote(labScope, database.read, quoteId);
    const providerQuote = await processor.attempt(PROCESSOR_ATTEMPT_MS, () =>
      lookUpOrCreate(asking, row, quote),
    );
    await recordCopy(asking, row, providerQuote);
  } catch (error) {
    await handleFailure(asking, row, error);
  }
}

/**
 * The current state of the quote at the processor; `none`: it does not exist; `unasked`: there was no reason to ask.
 */
type Step = ProcessorQuote | 'none' | 'unasked';

async function lookUpOrCreate(
  asking: AskingQuotes,
  row: ProcessorQuoteRow,
  quote: QuoteRow | undefined,
): Promise<Step> {
  const { quotes, work } = asking;
  const { provider_id: providerId, quote_id, attempted_at: at } = row;
  if (quote?.status === 'open' && !isPast(quote.valid_until, work.clock.now()))
    return providerId === null ? quotes.open(await prepareOrder(asking, row, quote)) : 'unasked';
  // The creation of the invoice accepts the quote there.
  if (quote?.status === 'accepted' && !(await isInvoiceEnded(asking, quote))) return 'unasked';
  if (providerId !== null) return quotes.cancel(providerId);
  if (at === null) return 'none';
  const customer_id = await ensureCustomer(asking, row.organization_id);
  const providerQuote = await quotes.find({ quote_id, customer_id, attempted_at: new Date(at) });
  return providerQuote === undefined ? 'none' : quotes.cancel(providerQuote.providerId);
}

async function isInvoiceEnded({ database }: Asking, quote: QuoteRow): Promise<boolean> {
  const scope = createOrganizationScope(quote.organization_id);
  const invoice = await findInvoiceOfAcceptance(scope, database.read, quote.id);
  return invoice?.status === 'void' || invoice?.status === 'uncollectible';
}

async function prepareOrder(
  asking: AskingQuotes,
  row: Pick<ProcessorQuoteRow, 'attempted_at'>,
  quote: QuoteRow,
): Promise<QuoteOrder> {
  const scope = createOrganizationScope(quote.organization_id);
  const experiment = await findExperiment(scope, asking.database.read, quote.experiment_id);
  return {
    quote_id: quote.id,
    quote_number: quote.quote_number,
    organization_id: quote.organization_id,
    customer_id: await ensureCustomer(asking, quote.organization_id),
    experiment_code: experiment?.code ?? '',
    currency: quote.currency,
    lines: buildLines(quote),
    total_cents: quote.total_cents,
    expires_at: new Date(quote.valid_until),
    attempted_at: row.attempted_at === null ? null : new Date(row.attempted_at),
  };
}

/** Records the processor's state. A copy that was accepted only there is reported to the lab and changes nothing. */
async function recordCopy(
  { database, work, processor }: AskingQuotes,
  row: ProcessorQuoteRow,
  seen: Step,
): Promise<void> {
  const at = work.clock.now();
  const known = typeof seen === 'string' ? null : seen;
  const status = known?.status ?? (seen === 'none' ? 'canceled' : null);
  if (status === 'draft') throw new ProcessorUnclearError(`${known?.providerId ?? ''} is still a draft`);
  await database.runTransaction(async (tx) => {
    const quote = await findQuote(labScope, tx, row.quote_id);
    const isDecided = quote?.status !== 'open' && quote?.status !== 'accepted';
    await recordProcessorQuote(labScope, tx, row.quote_id, {
      status,
      provider_id: known?.providerId ?? null,
      provider_invoice_id: known?.providerInvoiceId ?? null,
      error: null,
      // Our quote ended while the copy was being opened.
      next_at: status === 'open' && isDecided ? at : null,
      at,
    });
    if (status !== 'accepted' || quote?.status === 'accepted') return;
    await recordChange(work, tx, createOrganizationScope(row.organization_id), {
      actorKind: 'processor',
      actor: processor.name,
      operation: 'quote_accepted_at_processor',
      subject: row.quote_id,
      details: {
        provider_quote_id: known?.providerId ?? null,
        provider_invoice_id: known?.providerInvoiceId ?? null,
      },
    });
  });
}

/** A definite rejection is final: our quote goes on without a copy. */
async function handleFailure(asking: AskingQuotes, row: ProcessorQuoteRow, error: unknown): Promise<void> {
  const { database, work } = asking;
  const at = work.clock.now();
  const text = getErrorMessage(error);
  if (error instanceof ProcessorRefusedError) return recordRefusal(asking, row.quote_id, text);
  const nextAt = addMs(at, computeProcessorRetryMs(row.attempts));
  await postponeProcessorQuote(labScope, database.read, row.quote_id, { nextAt, error: text, at });
  if (!(error instanceof ProcessorUnclearError)) throw error;
}

async function recordRefusal({ database, work }: Asking, quoteId: string, error: string): Promise<void> {
  await recordProcessorQuote(labScope, database.read, quoteId, {
    status: 'refused',
    provider_id: null,
    provider_invoice_id: null,
    error,
    next_at: null,
    at: work.clock.now(),
  });
}

/**
 * Accepts the copy of an invoice's quote, after making it if necessary, and returns the invoice that the processor
 * made of it. Null without a copy: then the invoice is made without one.
 */
export async function acceptQuoteForInvoice(asking: Asking, invoice: InvoiceRow): Promise<string | null> {
  const { database, work, processor } = asking;
  // The void invoice that this one replaces has used up the copy.
  if (processor.quotes === null || invoice.replaces !== null) return null;
  const row = await findProcessorQuote(labScope, database.read, invoice.quote_id);
  if (row === undefined || row.processor !== processor.name) return null;
  if (row.status === 'accepted') return row.provider_invoice_id;
  if (row.status === 'canceled' || row.status === 'refused') return null;
  const quote = await findQuote(labScope, database.read, invoice.quote_id);
  if (quote === undefined) return null;
  await updateQuoteAttempt(labScope, database.read, quote.id, work.clock.now());
  const order = await prepareOrder({ ...asking, quotes: processor.quotes }, row, quote);
  try {
    const providerQuote = await processor.quotes.accept({ ...order, providerId: row.provider_id });
    await recordProcessorQuote(labScope, database.read, quote.id, {
      status: providerQuote.status === 'accepted' ? 'accepted' : 'canceled',
      provider_id: providerQuote.providerId,
      provider_invoice_id: providerQuote.providerInvoiceId,
      error: null,
      next_at: null,
      at: work.clock.now(),
    });
    return providerQuote.providerInvoiceId;
  } catch (error) {
    if (!(error instanceof ProcessorRefusedError)) throw error;
    await recordRefusal(asking, quote.id, error.message);
    return null;
  }
}

/** Finds the invoice that the processor made of the quote, for an invoice that is no longer wanted; cancels an open copy. */
export async function findBegunInvoice(asking: Asking, invoice: InvoiceRow): Promise<string | null> {
  const { database, processor } = asking;
  if (invoice.replaces !== null) return null;
  const row = await findProcessorQuote(labScope, database.read, invoice.quote_id);
  if (processor.quotes === null || row === undefined || row.processor !== processor.name) return null;
  if (row.provider_invoice_id !== null) return row.provider_invoice_id;
  if (row.attempted_at === null || row.status === 'refused') return null;
  const { organization_id: organizationId, quote_id } = row;
  const customer_id = await ensureCustomer(asking, organizationId);
  const order = { quote_id, customer_id, attempted_at: new Date(row.attempted_at) };
  const known = row.provider_id ?? (await processor.quotes.find(order))?.providerId;
  return known === undefined ? null : (await processor.quotes.cancel(known)).providerInvoiceId;
}
