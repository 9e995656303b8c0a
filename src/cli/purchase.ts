/** Takes a created experiment to a paid one: submit it, read the quote, accept it, pay. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Static } from '#core/schema.ts';
import { formatUsd } from '#core/money.ts';
import type { CreateExpRequest, CreateExpResponse } from '#features/experiments/contract.ts';
import type { InvoiceInfo } from '#features/invoices/contract.ts';
import type { ConfirmQuoteResponse, ExperimentQuoteResponse } from '#features/quotes/contract.ts';
import { formatDay } from './words.ts';
import type { Api } from './api.ts';
import { sendHttp } from './http.ts';
import { CommandError, isOutcomeUnknown, RefusedError, UnknownOutcomeError } from './command-error.ts';

export type Created = Static<typeof CreateExpResponse>;
export type Quote = Static<typeof ExperimentQuoteResponse>;
export type Accepted = Static<typeof ConfirmQuoteResponse>;
/** Where the invoice of an accepted quote is, as far as that is known. */
export type InvoiceHint = Partial<Pick<Accepted, 'invoice_id' | 'hosted_invoice_url'>>;
export type Invoice = Static<typeof InvoiceInfo>;

const POLL_MS = 200;
const QUOTE_POLLS = 10;
const PAID_POLLS = 150;
const PAYMENT_TIMEOUT_MS = 30_000;

/** Creates the draft and submits it. If the submission is refused, the error names the draft, so that it can be found again. */
export async function createExperiment(
  api: Api,
  request: CreateExpRequest,
  wishes: { readonly 'payment-method'?: string | undefined; readonly draft?: boolean | undefined } = {},
): Promise<Created> {
  const method = wishes['payment-method'];
  const headers: Record<string, string> = method === undefined ? {} : { 'x-service-payment-method': method };
  const created = api.check(
    await api.post<Created>('/experiments', request, headers),
    'experiment_id experiment_code status warnings[]?',
  );
  if (wishes.draft === true) return created;
  const code = created.experiment_code;
  try {
    return { ...created, status: await submitExperiment(api, code) };
  } catch (error) {
    if (!(error instanceof RefusedError) || isOutcomeUnknown(error)) throw error;
    const sentence = `${error.message}\n  The draft is stored as ${code}.`;
    throw new CommandError(sentence, error.exitCode, { cause: error });
  }
}

/** Submits a draft and returns its status. */
export async function submitExperiment(api: Api, code: string): Promise<Created['status']> {
  const answer = await api.post<Pick<Created, 'status'>>(formatExperimentPath(code, '/submit'));
  return api.check(answer, 'status').status;
}

export function formatExperimentPath(code: string, rest = ''): string {
  return `/experiments/${encodeURIComponent(code)}${rest}`;
}

/** Returns the quote, a draft included, or undefined when the lab has to price by hand. */
export async function findQuote(api: Api, code: string): Promise<Quote | undefined> {
  try {
    return await readQuote(api, code);
  } catch (error) {
    if (!(error instanceof RefusedError) || error.refusal.code !== 'quote_not_ready') throw error;
    return undefined;
  }
}

/** Gives the service a moment to open the quote of a submitted experiment; then returns it as it is. */
export async function awaitQuote(api: Api, code: string): Promise<Quote | undefined> {
  for (let poll = 1; ; poll++) {
    const quote = await findQuote(api, code);
    if (poll === QUOTE_POLLS || (quote !== undefined && quote.status !== 'draft')) return quote;
    await wait(POLL_MS);
  }
}

export function readQuote(api: Api, code: string): Promise<Quote> {
  return api.get<Quote>(
    formatExperimentPath(code, '/quote'),
    'quote_id status expires_at? amount_total:number',
  );
}

export function createQuoteNotReadyError(code: string): CommandError {
  return new CommandError(
    `The quote of ${code} is not ready yet: the lab prepares it. "assayer watch ${code}" says when it is ready.`,
  );
}

/** Returns the amount of the quote, and until when it is valid. */
export function describeQuote(quote: Quote): string {
  const until = quote.expires_at ? `, valid until ${formatDay(quote.expires_at)}` : '';
  return `${formatUsd(quote.amount_total)}${until}`;
}

export async function acceptQuote(api: Api, code: string, purchaseOrder?: string): Promise<Accepted> {
  const body = purchaseOrder === undefined ? {} : { purchase_order_number: purchaseOrder };
  const accepted = await api.post<Accepted>(formatExperimentPath(code, '/quote/confirm'), body);
  return api.check(accepted, 'status payment.kind invoice_id?');
}

/** Formats the command that pays an order on a rail for programs. */
export function formatPayCommand(code: string, method: string): string {
  const means = method === 'mpp-spt' ? '--spt TOKEN' : '--key-file FILE';
  return `assayer pay ${code} ${means}`;
}

/** Waits until the invoice of an accepted quote can be paid; the lab may take a moment to send it. */
export async function awaitInvoice(api: Api, code: string, accepted: InvoiceHint): Promise<Invoice> {
  for (let poll = 0; poll < PAID_POLLS; poll++) {
    const id = accepted.invoice_id ?? (await findInvoiceId(api, code));
    const invoice = id ? await readInvoice(api, id) : undefined;
    if (invoice !== undefined && invoice.status !== 'draft') return invoice;
    await wait(POLL_MS);
  }
  throw new CommandError(
    `The quote is accepted, but the lab has not sent the invoice of ${code} yet. "assayer watch ${code}" says when it can be paid.`,
  );
}

export async function findInvoiceId(api: Api, code: string): Promise<string | null | undefined> {
  const invoice = await api.get<{ invoice_id?: string | null }>(
    formatExperimentPath(code, '/invoice'),
    'invoice_id?',
  );
  return invoice.invoice_id;
}

/** The invoice of an experiment, which it has from its accepted quote on. */
export async function requireInvoiceId(api: Api, code: string): Promise<string> {
  const id = await findInvoiceId(api, code);
  if (!id) throw new CommandError(`${code} has no invoice yet: its quote is not accepted.`);
  return id;
}

/** Makes the test payment on the hosted page, then waits until the invoice is marked paid. */
export async function payTestInvoice(
  api: Api,
  { id, status, hosted_invoice_url: page }: Invoice,
): Promise<Invoice> {
  if (!page) throw new CommandError('The invoice has no payment page, so no test payment can be made.');
  if (status !== 'paid') await api.runChange(page, () => postTestPayment(page));
  for (let poll = 0; poll < PAID_POLLS; poll++) {
    const invoice = await readInvoice(api, id);
    if (invoice.status === 'paid') return markPaidNow(invoice);
    await wait(POLL_MS);
  }
  throw new CommandError(`The payment was made, but the invoice is not marked paid yet; check ${page}`);
}

export function readInvoice(api: Api, id: string): Promise<Invoice> {
  const members = 'id status payment_method total_cents:number invoice_number? hosted_invoice_url?';
  return api.get<Invoice>(`/invoices/${encodeURIComponent(id)}`, members);
}

/** A record says of every paid invoice that it is paid already; this command has just paid it. */
export function markPaidNow(invoice: Invoice): Invoice {
  return invoice.status === 'paid' ? { ...invoice, already_paid: false } : invoice;
}

/** Knowing the page's address is enough to pay, so no token is sent. */
async function postTestPayment(page: string): Promise<void> {
  const answer = await sendHttp(new URL(`${page}/test-payment`), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: '',
    signal: AbortSignal.timeout(PAYMENT_TIMEOUT_MS),
  }).catch(() => {
    throw new UnknownOutcomeError(`The payment page ${page} does not answer.`);
  });
  answer.discard();
  if (answer.status >= 400)
    throw new CommandError(`The payment page ${page} refused the test payment (${answer.status}).`);
}
