/** Stripe's documents: an invoice's is at an address of Stripe's, a quote's is read with our key and passed on. */
import type Stripe from 'stripe';
import { ProcessorUnclearError, type ProcessorDocuments } from '#domain/payments/processor.ts';
import { ask } from './client.ts';
import { isInvoice } from './replies.ts';
import { safeAddress } from './addresses.ts';

const BYTES_MAX = 20 * 1024 * 1024;
const PDF_START = '%PDF-';

export function stripeDocuments(
  stripe: Stripe,
  { apiBase, timeoutMs }: { readonly apiBase: string | null; readonly timeoutMs: number },
): ProcessorDocuments {
  return {
    async invoice(providerId) {
      const invoice = await ask('read invoice', isInvoice, () => stripe.invoices.retrieve(providerId));
      return { number: invoice.number ?? null, address: safeAddress(invoice.invoice_pdf, apiBase) };
    },
    async quote(providerId) {
      const stream = await ask('quote document', isStream, () => stripe.quotes.pdf(providerId));
      return bytesOf(stream, timeoutMs);
    },
  };
}

/** An answer below 400 is the document; anything else reaches us as an error, or as JSON that is none. */
function isStream(reply: unknown): reply is AsyncIterable<Uint8Array> {
  return typeof reply === 'object' && reply !== null && Symbol.asyncIterator in reply;
}

async function bytesOf(stream: AsyncIterable<Uint8Array>, timeoutMs: number): Promise<Uint8Array> {
  const reading = collect(stream).catch((error: unknown) => {
    throw error instanceof ProcessorUnclearError
      ? error
      : new ProcessorUnclearError('quote document: the answer broke off', { cause: error });
  });
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new ProcessorUnclearError('quote document: too slow')), timeoutMs);
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
    // Whichever comes second is nobody's any more.
    reading.catch(() => undefined);
    if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy();
  }
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > BYTES_MAX) throw new ProcessorUnclearError('quote document: larger than a document');
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.subarray(0, PDF_START.length).toString('latin1') !== PDF_START)
    throw new ProcessorUnclearError('quote document: no PDF');
  return bytes;
}
