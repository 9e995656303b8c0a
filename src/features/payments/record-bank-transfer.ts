/** Records a bank transfer that staff found on the lab's statement, even a late or second one. */
import { DAY_MS } from '#core/clock.ts';
import type { WriteContext } from '#core/context.ts';
import { fail, createInvalidFieldsFailure } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import { findInvoice, type InvoiceRow } from '../invoices/store.ts';
import { findHostedUrl } from '../invoices/wire.ts';
import type { recordBankTransfer as operation } from './contract.ts';
import { closeBuiltinInvoice, openBuiltinInvoice } from './store.ts';
import { recordProcessorInvoice } from './processor-store.ts';
import { BANK_RAIL, parseTransferReference } from './rules.ts';
import { holdForStaff } from '../invoices/hold-invoice.ts';
import { collectPayment, refuseIfCollectedElsewhere } from './collect-payment.ts';
import { settlePayment } from './settle-payment.ts';

type Body = Input<typeof operation>['body'];

type TakenAs = 'collected' | 'payment' | 'returned' | 'known';

/** `POST /lab/invoices/{invoice_id}/bank-transfer`. */
export async function recordBankTransfer(input: Input<typeof operation>, context: WriteContext) {
  const { reference } = input.body;
  const body =
    reference === undefined ? input.body : { ...input.body, reference: parseTransferReference(reference) };
  const { invoice } = await holdForStaff(context, input.params.invoice_id);
  // The amount of a transfer is the total, and no money is no transfer.
  if (invoice.total_cents === 0) throw fail('invoice_not_payable', { status: 'free (its total is 0)' });
  refuseIfInFuture(body.received_on, context.clock.now());
  const takenAs = await takeTransfer(context, invoice, body);
  context.addAuditDetails({ ...body, taken_as: takenAs });
  // A collected payment marks the invoice paid once its notification has come.
  const after =
    takenAs === 'collected' ? invoice : ((await findInvoice(labScope, context.tx, invoice.id)) ?? invoice);
  return {
    id: after.id,
    status: after.status,
    hosted_invoice_url: findHostedUrl(context.site, after),
    taken_as: takenAs,
  };
}

async function takeTransfer(context: WriteContext, invoice: InvoiceRow, body: Body): Promise<TakenAs> {
  if (body.reference !== undefined) return settleByReference(context, invoice, body.reference, body);
  const { status } = invoice;
  if (status === 'open' || status === 'draft') {
    const { userEmail } = context.principal;
    await collectPayment(context, context.tx, invoice, { kind: 'bank_transfer', recordedBy: userEmail });
    return 'collected';
  }
  const happens = status === 'uncollectible' ? 'it then pays the invoice' : 'it is then owed back';
  const problems = [{ path: 'reference', message: `is required for an invoice that is ${status}` }];
  throw fail('transfer_needs_reference', { status, happens }, { problems });
}

async function settleByReference(
  context: WriteContext,
  invoice: InvoiceRow,
  reference: string,
  body: Body,
): Promise<TakenAs> {
  const { tx } = context;
  if (invoice.status === 'open') {
    await refuseIfCollectedElsewhere(tx, invoice);
    await closePaymentPage(context, invoice);
  }
  const settled = await settlePayment(context, tx, invoice.id, {
    rail: BANK_RAIL,
    externalReference: reference,
    amountCents: invoice.total_cents,
    currency: invoice.currency,
    reference: { type: 'bank_transfer', ...body },
    details: { ...body, amount_cents: invoice.total_cents, recorded_by: context.principal.userEmail },
  });
  return settled === 'paid' ? 'payment' : settled;
}

/**
 * Closes the page at the built-in processor, because the bank has received the money. Throws
 * `payment_being_confirmed` when the processor has collected a payment that is not applied yet: this transfer may be
 * the same one, recorded without its reference.
 */
async function closePaymentPage({ tx, clock }: WriteContext, invoice: InvoiceRow): Promise<void> {
  const scope = createOrganizationScope(invoice.organization_id);
  const at = clock.now();
  const { id: invoice_id, total_cents: amount_cents, currency } = invoice;
  const entry = await openBuiltinInvoice(scope, tx, { invoice_id, amount_cents, currency, at });
  if (entry.status === 'paid') throw fail('payment_being_confirmed');
  if (!(await closeBuiltinInvoice(scope, tx, entry.id, 'void'))) return;
  const closed = { provider_id: entry.id, hosted_url: null, status: 'void' as const, next_at: null, at };
  await recordProcessorInvoice(scope, tx, invoice_id, closed);
}

function refuseIfInFuture(receivedOn: string | undefined, now: Date): void {
  if (receivedOn === undefined) return;
  const day = Date.parse(`${receivedOn}T00:00:00.000Z`);
  const isDay = !Number.isNaN(day) && new Date(day).toISOString().startsWith(receivedOn);
  // In time zones ahead of UTC the next day may have begun.
  if (!isDay || day > now.getTime() + DAY_MS)
    throw createInvalidFieldsFailure([
      { path: 'received_on', message: 'must be a day that is not in the future, as YYYY-MM-DD' },
    ]);
}
