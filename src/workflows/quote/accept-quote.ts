/** Accepts a quote: quote, experiment, invoice and ledger change together, once. */
import type { Work } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { Principal } from '#core/principal.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { requireCollection } from '#features/invoices/collection.ts';
import { refuseOutsidePolicy } from '#features/invoices/rules.ts';
import { insertInvoice, type InvoiceRow } from '#features/invoices/store.ts';
import { findHostedUrl, formatPayUrl } from '#features/invoices/wire.ts';
import { UNTAXED } from '#features/pricing/totals.ts';
import type { confirmQuote } from '#features/quotes/contract.ts';
import { refuseIfNotOpen } from '#features/quotes/rules.ts';
import { setQuoteStatus } from '#features/quotes/store.ts';
import { describeQuote } from '#features/updates/details.ts';
import { transitionExperiment } from '#features/experiments/transition-experiment.ts';
import { finalize, readWrittenInvoice } from '../pay/finalize-invoice.ts';
import { scheduleLab } from '#features/runs/raw-files/schedule-lab.ts';
import { countSpending } from '#features/tokens/count-spending.ts';
import type { HeldQuote } from '#features/quotes/named-quote.ts';

export interface Acceptance {
  readonly purchaseOrderNumber?: string | null;
  readonly notes?: string | null;
  /** False leaves the invoice a draft that staff send later. */
  readonly finalize: boolean;
}

export function readAcceptance(body: Input<typeof confirmQuote>['body']): Acceptance {
  return {
    purchaseOrderNumber: body.purchase_order_number ?? null,
    notes: body.notes ?? null,
    finalize: true,
  };
}

/**
 * The caller read the quote under the lock, so the first of several confirmations accepts it and the others see that.
 * Throws `payment_not_set_up` where nobody could pay the invoice, also one that stays a draft, and `token_restricted`
 * where the token may not pay by the rail of the experiment.
 */
export async function acceptQuote(
  work: Work & { readonly tx: Transaction; readonly principal: Principal },
  scope: OrganizationScope,
  { experiment, quote }: HeldQuote,
  acceptance: Acceptance,
) {
  const { tx } = work;
  const at = work.clock.now();
  refuseIfNotOpen(quote, at);
  const rail = experiment.payment_method;
  refuseOutsidePolicy(rail, work.principal);
  if (rail === 'async_invoice' && quote.total_cents > 0) requireCollection(work.site, work.principal);
  await countSpending(work, tx, work.principal, { quote_id: quote.id, amount_cents: quote.total_cents });
  await setQuoteStatus(scope, tx, quote.id, {
    from: 'open',
    to: 'accepted',
    at,
    ...(acceptance.notes === null || acceptance.notes === undefined
      ? {}
      : { acceptanceNotes: acceptance.notes }),
  });
  const invoiceId = work.ids.createUuid();
  await insertInvoice(scope, tx, {
    id: invoiceId,
    external_id: work.ids.createExternalInvoiceId(),
    experiment_id: experiment.id,
    quote_id: quote.id,
    payment_method: rail,
    currency: quote.currency,
    line_items: quote.line_items,
    subtotal_cents: quote.subtotal_cents,
    tax_cents: quote.tax_cents,
    total_cents: quote.total_cents,
    tax: quote.tax ?? UNTAXED,
    purchase_order_number: acceptance.purchaseOrderNumber ?? null,
    created_at: at,
  });
  const draft = { id: invoiceId, parties: quote.parties, quote_id: quote.id };
  const next = await transitionExperiment(work, tx, scope, experiment, {
    trigger: 'confirm_quote',
    actor: 'client',
    action: 'be confirmed',
    description: `Quote ${quote.quote_number} accepted.`,
    details: describeQuote(quote),
  });
  const issued = acceptance.finalize ? await finalize(work, scope, next, draft) : undefined;
  await scheduleLab(work, tx, next);
  const invoice = issued ?? (await readWrittenInvoice(scope, tx, invoiceId));
  return { experiment: next, invoice, response: buildConfirmation(work, quote.id, invoice) };
}

function buildConfirmation(work: Work, quoteId: string, invoice: InvoiceRow) {
  const url = findHostedUrl(work.site, invoice);
  const machine = invoice.payment_method !== 'async_invoice';
  const methods = ['async_invoice', ...work.site.machineMethods];
  return {
    id: quoteId,
    status: 'accepted' as const,
    invoice_id: invoice.id,
    hosted_invoice_url: url,
    payment: machine
      ? {
          kind: invoice.payment_method,
          pay_url: formatPayUrl(work.site, invoice),
          methods,
        }
      : { kind: 'hosted_invoice', hosted_invoice_url: url, methods },
  };
}
