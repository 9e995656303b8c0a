/** Stripe's documents: an invoice's has an address at Stripe; a quote's is read with our key and passed on. */
import type Stripe from 'stripe';
import { ProcessorUnclearError, type ProcessorDocuments } from '#domain/payments/processor.ts';
import { ask } from './client.ts';
import { isInvoice } from './replies.ts';
import { toSafeAddress } from './addresses.ts';

const BYTES_MAX = 20 * 1024 * 1024;
const PDF_START = '%PDF-';

export function createStripeDocuments(
  stripe: Stripe,
  { apiBase, timeoutMs }: { readonly apiBase: string | null; readonly timeoutMs: number },
): ProcessorDocuments {
  return {
    async getInvoice(providerId) {
      const invoice = await ask('read invoice', isInvoice, () => stripe.invoices.retrieve(providerId));
      return { number: invoice.number ?? null, address: toSafeAddress(invoice.invoice_pdf, apiBase) };
    },
    async getQuote(providerId) {
      const stream = await ask('quote document', isStream, () => stripe.quotes.pdf(providerId));
      return collectBytes(stream, timeoutMs);
    },
  };
}

/** True for a document. Any other answer arrives as an error or as JSON. */
function isStream(reply: unknown): reply is AsyncIterable<Uint8Array> {
  return typeof reply === 'object' && reply !== null && Symbol.asyncIterator in reply;
}

async function collectBytes(stream: AsyncIterable<Uint8Array>, timeoutMs: number): Promise<Uint8Array> {
  const reading = collect(stream).catch((error: unknown) => {
    throw error instanceof ProcessorUnclearError
      ? error
      : new ProcessorUnclearError('quote document: the answer was interrupted', { cause: error });
  });
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new ProcessorUnclearError('quote document: too slow')), timeoutMs);
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
    // A promise that settles after the race must not be unhandled.
    reading.catch(() => undefined);
    if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy();
  }
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > BYTES_MAX) throw new ProcessorUnclearError('quote document: larger than the limit');
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.subarray(0, PDF_START.length).toString('latin1') !== PDF_START)
    throw new ProcessorUnclearError('quote document: not a PDF');
  return bytes;
}
