/**
 * The built-in processor: records in the same database, the test payment of a sandbox and the bank transfers that
 * staff record. It is called, and notifies, like an outside processor.
 * This folder: the processor of an installation that has no other. Not here: how a payment is settled
 * (`features/payments`).
 */
import type { Work } from '#core/context.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import {
  formatBuiltinInvoiceId,
  findPayment,
  markNotified,
  findProcessorRefund,
  recordProcessorRefund,
  closeBuiltinInvoice,
  findBuiltinInvoice,
  openBuiltinInvoice,
  type BuiltinInvoice,
} from '#features/payments/store.ts';
import {
  type HostedProcessor,
  type RefundPort,
  type RefundRequest,
  ProcessorRefusedError,
  type ProcessorInvoice,
} from '#features/payments/processor.ts';
import {
  signNotification,
  SIGNATURE_HEADER,
  type PaymentNotification,
  readNotification,
} from './notification.ts';
import { BUILTIN, BUILTIN_RAIL } from '#features/payments/rules.ts';

/** Refunds of the built-in processor: an immediate entry in its own records. */
const BY_HAND =
  'A bank transfer is sent back by hand: transfer the amount to the payer, then record the reference of the transfer.';

function createBuiltinRefunds(work: Work, database: Database): RefundPort {
  async function find({ idempotency_key: idempotencyKey }: RefundRequest) {
    const processorRefund = await findProcessorRefund(labScope, database.read, idempotencyKey);
    return processorRefund === undefined
      ? { kind: 'none' as const }
      : { kind: 'refunded' as const, reference: processorRefund.id };
  }

  async function send(request: RefundRequest) {
    const payment = await findPayment(labScope, database.read, String(request.payment.payment_id));
    if (payment === undefined) return createRefusedOutcome('The built-in processor has no such payment.');
    if (payment.kind === 'bank_transfer' && work.site.environment === 'live')
      return createRefusedOutcome(BY_HAND);
    if (payment.currency !== request.currency)
      return createRefusedOutcome('The payment was made in another currency.');
    const recorded = await database.runTransaction((tx) =>
      recordProcessorRefund(createOrganizationScope(payment.organization_id), tx, {
        id: `re_${work.ids.createUuid().replaceAll('-', '')}`,
        payment_id: payment.id,
        idempotency_key: request.idempotency_key,
        amount_cents: request.amount_cents,
        currency: request.currency,
        at: work.clock.now(),
      }),
    );
    return recorded === undefined
      ? createRefusedOutcome('More would be sent back than was collected.')
      : { kind: 'refunded' as const, reference: recorded.id };
  }

  return { find, send };
}

function createRefusedOutcome(reason: string) {
  return { kind: 'refused' as const, reason };
}

/** Delivers a notification: a POST to the service's notification address; returns the status. */
export type DeliverNotification = (
  body: string,
  headers: Readonly<Record<string, string>>,
) => Promise<number>;

export interface BuiltinProcessor {
  readonly hosted: HostedProcessor;
  readonly refunds: RefundPort;
  /** Sends the notification of one payment. An answer other than 2xx is an error, so that the worker repeats it. */
  notify(paymentId: string, deliver: DeliverNotification): Promise<void>;
}

export function createBuiltinProcessor(work: Work, database: Database, secret: string): BuiltinProcessor {
  return {
    hosted: createBuiltinInvoices(work, database, secret),
    refunds: createBuiltinRefunds(work, database),
    async notify(paymentId, deliver) {
      const payment = await findPayment(labScope, database.read, paymentId);
      if (payment === undefined || payment.notified_at !== null) return;
      const notification: PaymentNotification = {
        id: `evt_${payment.id}`,
        type: 'invoice.paid',
        created_at: payment.created_at,
        invoice: {
          id: formatBuiltinInvoiceId(payment.invoice_id),
          invoice_id: payment.invoice_id,
          payment_id: payment.id,
        },
      };
      const body = JSON.stringify(notification);
      const signature = signNotification(secret, body, work.clock.now());
      const status = await deliver(body, { [SIGNATURE_HEADER]: signature });
      if (status < 200 || status >= 300)
        throw new Error(`the notification was answered with status ${status}`);
      await markNotified(labScope, database.read, paymentId, work.clock.now());
    },
  };
}

/** Hosted invoices of the built-in processor. They are paid on our own page. */
function createBuiltinInvoices(work: Work, database: Database, secret: string): HostedProcessor {
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
    issue: async ({ organization_id: owner, invoice_id, total_cents: amount_cents, currency }) =>
      toProcessorInvoice(
        await openBuiltinInvoice(createOrganizationScope(owner), database.read, {
          invoice_id,
          amount_cents,
          currency,
          at: work.clock.now(),
        }),
      ),
    async find({ invoice_id: invoiceId }) {
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
    provider_id: invoice.id,
    invoice_id: invoice.invoice_id,
    status: invoice.status,
    currency: invoice.currency,
    total_cents: invoice.amount_cents,
    remaining_cents: invoice.status === 'paid' ? 0 : invoice.amount_cents,
    hosted_url: null,
    payment_id: invoice.payment_id,
  };
}
