/** Hosted invoices of the built-in processor. They are paid on our own page. */
import type { Work } from '#core/context.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import {
  closeBuiltinInvoice,
  findBuiltinInvoice,
  openBuiltinInvoice,
  type BuiltinInvoice,
} from '#features/payments/store.ts';
import {
  ProcessorRefusedError,
  type HostedProcessor,
  type ProcessorInvoice,
} from '#features/payments/processor.ts';
import { BUILTIN, BUILTIN_RAIL } from '#features/payments/rules.ts';
import { readNotification, SIGNATURE_HEADER } from './notification.ts';

export function createBuiltinInvoices(work: Work, database: Database, secret: string): HostedProcessor {
  async function look(providerId: string): Promise<ProcessorInvoice> {
    const builtinInvoice = await findBuiltinInvoice(labScope, database.read, { id: providerId });
    if (builtinInvoice === undefined)
      throw new ProcessorRefusedError(`the built-in processor has no invoice ${providerId}`);
    return toProcessorInvoice(builtinInvoice);
  }

  return {
    name: BUILTIN,
    rail: BUILTIN_RAIL,
    signatureHeader: SIGNATURE_HEADER,
    // It is asked in this process, and answers at once.
    attempt: (_limitMs, work) => work(),
    ensureCustomer: async ({ id }) => `organization:${id}`,
    issue: async ({ organizationId, invoiceId, totalCents, currency }) =>
      toProcessorInvoice(
        await openBuiltinInvoice(createOrganizationScope(organizationId), database.read, {
          invoiceId,
          amountCents: totalCents,
          currency,
          at: work.clock.now(),
        }),
      ),
    async find({ invoiceId }) {
      const builtinInvoice = await findBuiltinInvoice(labScope, database.read, { invoiceId });
      return builtinInvoice === undefined ? undefined : toProcessorInvoice(builtinInvoice);
    },
    look,
    async withdraw({ providerId }) {
      await closeBuiltinInvoice(labScope, database.read, providerId, 'void');
      return look(providerId);
    },
    // The built-in processor keeps no copies of quotes: its records are in the same database.
    quotes: null,
    documents: null,
    readNotice: (body, signature, at) => readNotification(secret, body, signature, at),
  };
}

function toProcessorInvoice(invoice: BuiltinInvoice): ProcessorInvoice {
  return {
    providerId: invoice.id,
    invoiceId: invoice.invoice_id,
    status: invoice.status,
    currency: invoice.currency,
    totalCents: invoice.amount_cents,
    remainingCents: invoice.status === 'paid' ? 0 : invoice.amount_cents,
    hostedUrl: null,
    paymentId: invoice.payment_id,
  };
}
