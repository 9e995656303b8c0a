/** Applies a payment: the only code that marks an invoice paid, for every rail. */
import { toCents } from '#core/money.ts';
import { fail } from '#core/failures.ts';
import type { Origin, Work } from '#core/context.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { ExperimentRow } from '../experiments/store.ts';
import { markPaid, type InvoiceRow, findInvoice } from '../invoices/store.ts';
import {
  buildSettledEntries,
  buildSurplusEntries,
  buildWriteOffReversedEntries,
  type Entry,
  type PostingKind,
} from '../ledger/rules.ts';
import { findPosting, insertPosting } from '../ledger/store.ts';
import { BANK_RAIL } from './rules.ts';
import { describeInvoice } from '../updates/details.ts';
import { addUpdate } from '../experiments/transition-experiment.ts';
import { holdInvoice } from '../invoices/hold-invoice.ts';
import { issueCredit } from '../invoices/refunds/issue-credit.ts';
import { recordChange } from '../audit/record-change.ts';
import { scheduleLab } from '../runs/raw-files/schedule-lab.ts';

/** A payment that certainly happened outside. */
export interface Settlement {
  /** The rail of the ledger. */
  readonly rail: string;
  /** Unique on the rail; a second settlement with it changes nothing. */
  readonly externalReference: string;
  readonly amountCents: number;
  readonly currency: string;
  /** Shown to the client as `settlement_reference`, and given to the rail's refund port. */
  readonly reference: Readonly<Record<string, unknown>> & { readonly type: string };
  /** Further facts for the audit trail: details of the payment, and who reported it. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly origin?: Origin;
}

type Settled =
  /** This payment paid the invoice. */
  | 'paid'
  /** This payment was applied before. */
  | 'known'
  /** The invoice was void, or paid by another payment: the money is owed back, and a refund has started. */
  | 'returned';

/**
 * Applies a payment to its invoice, once for each (rail, external reference). Throws `invoice_not_payable` when the
 * amount is not the amount owed or the invoice was never sent, and `transfer_reference_used` for a bank transfer whose
 * reference belongs to something else. Takes the locks itself: experiment first, then invoice.
 */
export async function settlePayment(
  work: Work,
  tx: Transaction,
  invoiceId: string,
  settlement: Settlement,
): Promise<Settled> {
  const { experiment, invoice } = await holdInvoice(tx, invoiceId);
  const scope = createOrganizationScope(invoice.organization_id);
  const posted = await findPosting(labScope, tx, settlement.rail, settlement.externalReference);
  const isOfInvoice = posted?.invoice_id === invoice.id;
  if (isOfInvoice && posted.kind !== 'refund_sent') return 'known';
  if (posted !== undefined)
    throw createUsedFailure(
      invoice,
      settlement,
      isOfInvoice ? 'a refund of this invoice' : 'another invoice',
    );
  refuseIfNotWhatIsOwed(invoice, settlement);
  const isOwed = invoice.status !== 'paid' && invoice.status !== 'void';
  await (isOwed ? settle : takeSurplus)(work, tx, experiment, invoice, settlement);
  const { details, origin } = settlement;
  await recordChange(work, tx, scope, {
    actorKind: 'processor',
    actor: 'payment processor',
    operation: isOwed ? 'settle_invoice' : 'return_surplus',
    subject: invoice.id,
    details,
    ...(origin === undefined ? {} : { origin }),
  });
  return isOwed ? 'paid' : 'returned';
}

/** `use` says what the reference of the payment was posted for. */
function createUsedFailure(
  { status }: InvoiceRow,
  { rail, externalReference }: Pick<Settlement, 'rail' | 'externalReference'>,
  use: string,
) {
  if (rail === BANK_RAIL) return fail('transfer_reference_used', { reference: externalReference, use });
  return fail('invoice_not_payable', { status }, { detail: `${externalReference} was posted for ${use}` });
}

function refuseIfNotWhatIsOwed(invoice: InvoiceRow, settlement: Settlement): void {
  const { status } = invoice;
  if (status === 'draft') throw fail('invoice_not_payable', { status });
  if (settlement.amountCents !== invoice.total_cents || settlement.currency !== invoice.currency) {
    const detail = `collected ${settlement.amountCents} ${settlement.currency}, owed ${invoice.total_cents} ${invoice.currency}`;
    throw fail('invoice_not_payable', { status }, { detail });
  }
}

async function settle(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  invoice: InvoiceRow,
  settlement: Settlement,
): Promise<void> {
  const scope = createOrganizationScope(invoice.organization_id);
  const total = toCents(invoice.total_cents);
  const { reference } = settlement;
  if (invoice.status === 'uncollectible')
    await postPayment(work, tx, invoice, {
      kind: 'write_off_reversed',
      rail: 'invoice',
      externalReference: `write-off-reversed:${invoice.external_id}`,
      entries: buildWriteOffReversedEntries(total),
    });
  await markPaid(scope, tx, invoice.id, { amountCents: total, reference, at: work.clock.now() });
  await postPayment(work, tx, invoice, {
    ...settlement,
    kind: 'payment_settled',
    entries: buildSettledEntries(total),
  });
  await addUpdate(work, tx, experiment, {
    event: 'invoice.paid',
    name: 'Invoice paid',
    description: invoice.invoice_number ?? invoice.external_id,
    details: describeInvoice(invoice, { previous: invoice.status, current: 'paid' }),
  });
  await scheduleLab(work, tx, experiment);
}

/** Posts money that the client did not owe as owed to the client, and starts its refund over its own rail. */
async function takeSurplus(
  work: Work,
  tx: Transaction,
  experiment: ExperimentRow,
  invoice: InvoiceRow,
  settlement: Settlement,
): Promise<void> {
  await postPayment(work, tx, invoice, {
    ...settlement,
    kind: 'payment_surplus',
    entries: buildSurplusEntries(toCents(settlement.amountCents)),
  });
  await issueCredit(work, tx, experiment, invoice, {
    rail: settlement.rail,
    payment_reference: settlement.reference,
    amount_cents: settlement.amountCents,
    tax_cents: 0,
    is_credit: false,
    reason: invoice.status === 'void' ? 'Paid after the invoice was voided' : 'Paid twice',
    requested_by: 'service',
  });
}

async function postPayment(
  work: Work,
  tx: Transaction,
  invoice: InvoiceRow,
  posting: {
    readonly kind: PostingKind;
    readonly rail: string;
    readonly externalReference: string;
    readonly entries: readonly Entry[];
  },
): Promise<void> {
  const { kind, rail, externalReference, entries } = posting;
  const isPosted = await insertPosting(createOrganizationScope(invoice.organization_id), tx, {
    id: work.ids.createUuid(),
    invoice_id: invoice.id,
    kind,
    rail,
    external_reference: externalReference,
    currency: invoice.currency,
    entries,
    posted_at: work.clock.now(),
  });
  // The lock covers this invoice alone, so another one may take the same reference between the look-up and here.
  if (!isPosted && entries.length > 0) throw createUsedFailure(invoice, posting, 'another invoice');
}

/** Tells the client that a payment was refused, and that the invoice is still due. `sentence` says why. */
export async function announcePaymentFailure(
  work: Work,
  tx: Transaction,
  invoiceId: string,
  sentence: string,
): Promise<void> {
  const invoice = await findInvoice(labScope, tx, invoiceId);
  if (invoice === undefined) return;
  const { experiment_id: id, experiment_code: code, organization_id } = invoice;
  await addUpdate(
    work,
    tx,
    { id, code, organization_id },
    {
      event: 'invoice.payment_failed',
      actor: 'service',
      name: 'Payment failed',
      description: sentence,
      details: describeInvoice(invoice, { previous: invoice.status, current: invoice.status }),
    },
  );
}
