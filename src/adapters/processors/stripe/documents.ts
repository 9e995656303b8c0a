/** Stripe's documents: an invoice's has an address at Stripe; a quote's is read with our key and passed on. */
import type Stripe from 'stripe';
import { ProcessorUnclearError, type ProcessorDocuments } from '#features/payments/processor.ts';
import { ask } from './client.ts';
import { isInvoice } from './replies.ts';
import { toSafeAddress } from './addresses.ts';

const BYTES_MAX = 20 * 1024 * 1024;
const PDF_START = '%PDF-';
/** Stripe's address of an invoice leads to where its files are. */
const REDIRECTS_MAX = 4;

interface DocumentSettings {
  readonly apiBase: string | null;
  readonly timeoutMs: number;
}

export function createStripeDocuments(stripe: Stripe, settings: DocumentSettings): ProcessorDocuments {
  const { apiBase, timeoutMs } = settings;
  return {
    async getInvoice(providerId) {
      const invoice = await ask('read invoice', isInvoice, () => stripe.invoices.retrieve(providerId));
      return { number: invoice.number ?? null, address: toSafeAddress(invoice.invoice_pdf, apiBase) };
    },
    fetchInvoice: (address) => downloadDocument(address, settings),
    async getQuote(providerId) {
      const stream = await ask('quote document', isStream, () => stripe.quotes.pdf(providerId));
      return collectBytes(stream, { name: 'quote document', timeoutMs });
    },
  };
}

/** The address needs no key, so none is sent. */
async function downloadDocument(address: string, settings: DocumentSettings): Promise<Uint8Array> {
  const name = 'invoice document';
  const signal = AbortSignal.timeout(settings.timeoutMs);
  let next = address;
  for (let step = 0; step <= REDIRECTS_MAX; step++) {
    const answer = await fetch(next, { redirect: 'manual', signal }).catch((error: unknown) => {
      throw new ProcessorUnclearError(`${name}: no answer`, { cause: error });
    });
    if (answer.ok && answer.body !== null)
      return collectBytes(answer.body, { name, timeoutMs: settings.timeoutMs });
    await answer.body?.cancel();
    const location = answer.headers.get('location');
    const target =
      location !== null && URL.canParse(location, next)
        ? toSafeAddress(new URL(location, next).href, settings.apiBase)
        : null;
    if (answer.status < 300 || answer.status >= 400 || target === null)
      throw new ProcessorUnclearError(`${name}: answered ${answer.status}`);
    next = target;
  }
  throw new ProcessorUnclearError(`${name}: more than ${REDIRECTS_MAX} redirects`);
}

/** True for a document. Any other answer arrives as an error or as JSON. */
function isStream(reply: unknown): reply is AsyncIterable<Uint8Array> {
  return typeof reply === 'object' && reply !== null && Symbol.asyncIterator in reply;
}

async function collectBytes(
  stream: AsyncIterable<Uint8Array>,
  { name, timeoutMs }: { readonly name: string; readonly timeoutMs: number },
): Promise<Uint8Array> {
  const reading = collect(stream, name).catch((error: unknown) => {
    throw error instanceof ProcessorUnclearError
      ? error
      : new ProcessorUnclearError(`${name}: the answer was interrupted`, { cause: error });
  });
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new ProcessorUnclearError(`${name}: too slow`)), timeoutMs);
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
    // A promise that settles after the race must not be unhandled.
    reading.catch(() => undefined);
    if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy();
  }
}

async function collect(stream: AsyncIterable<Uint8Array>, name: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > BYTES_MAX) throw new ProcessorUnclearError(`${name}: larger than the limit`);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.subarray(0, PDF_START.length).toString('latin1') !== PDF_START)
    throw new ProcessorUnclearError(`${name}: not a PDF`);
  return bytes;
}
