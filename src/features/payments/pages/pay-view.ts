import { type Environment, getLabName } from '#core/context.ts';
import { formatUsd } from '#core/money.ts';
import type { Seller } from '../../billing/rules.ts';
import type { InvoiceRow } from '../../invoices/store.ts';
import type { ProcessorInvoiceRow } from '../processor-store.ts';
import type { AppliedTax, LineItem } from '../../pricing/contract.ts';
import { renderInvoiceChip } from '../../invoices/pages/invoice-chip.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderDay, renderTime } from '#ui/words.ts';

export interface PayView {
  readonly invoice: InvoiceRow & {
    readonly organization_name: string;
    readonly credit_notes: readonly Note[];
  };
  readonly environment: Environment;
  /** True when the processor has collected and its notification has not arrived yet. */
  readonly isCollected: boolean;
  /** The invoice at an outside processor, if one collects it. */
  readonly outside: Pick<ProcessorInvoiceRow, 'status' | 'hosted_url'> | undefined;
  /** The lab as it presents itself now, with its account for bank transfers. */
  readonly seller: Seller;
  readonly now: Date;
}

export function renderPayBody(view: PayView): Markup {
  const { invoice } = view;
  const settled = invoice.status === 'paid';
  return markup`<article class="card paper" aria-labelledby="invoice">
<header class="paper-head">
<div><p class="over">${settled ? 'Receipt' : 'Invoice'}</p><h1 id="invoice">${invoice.invoice_number ?? 'Draft'}</h1></div>
${renderBadge(view)}
</header>
<p class="amount">${formatUsd(invoice.total_cents)} <span>${invoice.currency.toUpperCase()}</span></p>
${renderState(view)}
<dl class="facts">
<div><dt>From</dt><dd><bdi>${getLabName(invoice.parties?.seller ?? view.seller)}</bdi></dd></div>
<div><dt>For</dt><dd><bdi>${invoice.parties?.buyer.name ?? invoice.organization_name}</bdi></dd></div>
<div><dt>Experiment</dt><dd><a href="/experiments/${invoice.experiment_code}">${invoice.experiment_code}</a></dd></div>
${settled ? markup`<div><dt>Paid</dt><dd>${renderTime(invoice.paid_at)}</dd></div>` : markup`<div><dt>Due</dt><dd>${renderDay(invoice.due_date)}</dd></div>`}
${invoice.eta !== null && markup`<div><dt>Results</dt><dd>by ${renderDay(invoice.eta)}</dd></div>`}
${invoice.purchase_order_number !== null && markup`<div><dt>Purchase order</dt><dd><bdi>${invoice.purchase_order_number}</bdi></dd></div>`}
${invoice.replaces !== null && markup`<div><dt>Replaces</dt><dd>${invoice.replaces.invoice_number ?? 'a draft'}</dd></div>`}
${settled && markup`<div><dt>Reference</dt><dd><code>${getReference(invoice)}</code></dd></div>`}
</dl>
${renderLineTable(invoice)}
${invoice.credit_notes.length > 0 && renderCreditNotes(invoice.credit_notes)}
${invoice.invoice_number !== null && markup`<p><a href="/pay/${invoice.hosted_key}/invoice.pdf">${settled ? 'Receipt' : 'Invoice'} as PDF</a></p>`}
</article>`;
}

function renderBadge(view: PayView): Markup {
  const { invoice, isCollected, now } = view;
  if (isCollected) return markup`<span class="chip moving">Being confirmed</span>`;
  return renderInvoiceChip(invoice, now);
}

/** Renders the current state, and the action that is left to the reader. */
function renderState(view: PayView): Markup {
  const { invoice, environment, isCollected } = view;
  switch (invoice.status) {
    case 'paid':
      return markup`<p class="note good" role="status"><strong>Paid in full.</strong> Thank you. This page stays as your receipt.</p>`;
    case 'void':
      return markup`<p class="note" role="status"><strong>This invoice was voided.</strong> Nothing is owed. ${renderSuccessor(invoice)}${describeAfterVoid(invoice.credit_notes)}</p>`;
    case 'uncollectible':
      return markup`<p class="note attention" role="status"><strong>This invoice is closed</strong> and can no longer be paid here. Write to the lab to settle it.</p>`;
    case 'draft':
      return markup`<p class="note" role="status"><strong>This invoice is a draft.</strong> It can be paid when the lab has sent it.</p>`;
    default:
      if (isCollected) return CONFIRMING;
      if (invoice.payment_method !== 'async_invoice') return renderMachinePayment(invoice);
      if (view.outside !== undefined) return renderOutsidePayment(view.outside);
      return environment === 'sandbox'
        ? renderTestPayment(invoice)
        : renderBankTransfer(invoice, view.seller.bank_lines);
  }
}

const CONFIRMING = markup`<p class="note moving" role="status"><strong>Payment received, being confirmed.</strong> This page checks again every two seconds; you may leave it.</p>`;

function renderMachinePayment(invoice: InvoiceRow): Markup {
  return markup`<p class="note" role="status"><strong>This invoice is paid by a program.</strong> Its experiment was ordered with the payment method <code>${invoice.payment_method}</code>, so it cannot be paid on this page. After the payment this page is the receipt.</p>`;
}

function renderOutsidePayment({ status, hosted_url: url }: NonNullable<PayView['outside']>): Markup {
  if (status === 'wanted') return PREPARING;
  if (status !== 'open' || url === null) return BEING_CHECKED;
  return markup`<div class="pay"><a class="button primary large" href="${url}" rel="noreferrer">Pay this invoice</a>
<p class="hint">You pay on the page of our payment processor. When the payment has gone through, this page becomes your receipt.</p></div>`;
}

const PREPARING = markup`<p class="note moving" role="status"><strong>The payment page is being prepared.</strong> This page checks again every two seconds.</p>`;
const BEING_CHECKED = markup`<p class="note attention" role="status"><strong>This invoice cannot be paid here at the moment.</strong> Nothing is lost: write to the lab, or come back later.</p>`;

function renderTestPayment(invoice: InvoiceRow): Markup {
  return markup`<form method="post" action="/pay/${invoice.hosted_key}/test-payment" class="pay">
<button class="primary large">Make a test payment</button>
<p class="hint">This is a sandbox: no card is asked for and no money moves. Pressing it twice pays once.</p>
</form>`;
}

function renderBankTransfer(invoice: InvoiceRow, bankLines: readonly string[]): Markup {
  return markup`<section class="note" aria-labelledby="transfer"><h2 id="transfer">Pay by bank transfer</h2>
<p>Transfer the amount to ${bankLines.length > 0 ? 'this account' : 'the account that the lab has given to your organization'}, with this reference. The lab confirms the invoice when the money has arrived, and the run can start then.</p>
<dl class="facts">${bankLines.length > 0 && markup`<div><dt>Account</dt><dd>${bankLines.map((line) => markup`<bdi>${line}</bdi><br>`)}</dd></div>`}<div><dt>Amount</dt><dd class="number">${formatUsd(invoice.total_cents)} ${invoice.currency.toUpperCase()}</dd></div>
<div><dt>Reference</dt><dd><code>${invoice.invoice_number}</code></dd></div></dl></section>`;
}

function getReference(invoice: InvoiceRow): string {
  const reference: Readonly<Record<string, unknown>> = { ...invoice.settlement_reference };
  const names = ['payment_id', 'payment_intent_id', 'tx_hash', 'reference'];
  const value = names.map((name) => reference[name]).find((candidate) => typeof candidate === 'string');
  return typeof value === 'string' ? value : invoice.external_id;
}

function renderSuccessor({ replaced_by: next }: InvoiceRow): Markup | false {
  if (next === null || next.hosted_key === null) return false;
  return markup`It is replaced by <a href="/pay/${next.hosted_key}">${next.invoice_number}</a>. `;
}

/** A late payment of a void invoice is being refunded or was refunded. */
function describeAfterVoid(notes: readonly Note[]): string {
  if (notes.length === 0)
    return 'A late payment is refunded; if you have paid and see no refund here, write to the lab.';
  const isBack = notes.every(({ status }) => status === 'refunded');
  return isBack ? 'The payment has been refunded.' : 'The payment is being refunded.';
}

interface Note {
  readonly is_credit: boolean;
  readonly credit_note_number: string;
  readonly amount_cents: number;
  readonly status: 'pending' | 'refunded' | 'action_required';
}

function renderCreditNotes(notes: readonly Note[]): Markup {
  const rows = notes.map(
    (note) =>
      markup`<div><dt>${note.is_credit ? 'Credit note' : 'Surplus payment'} ${note.credit_note_number}</dt><dd>${formatUsd(note.amount_cents)}, ${note.status === 'refunded' ? 'refunded' : 'being refunded'}</dd></div>`,
  );
  return markup`<dl class="facts">${rows}</dl>`;
}

interface Sums {
  readonly line_items: readonly LineItem[];
  readonly subtotal_cents: number;
  readonly tax_cents: number;
  readonly total_cents: number;
  readonly tax?: AppliedTax | null;
}

/** Renders the lines and sums of a quote or an invoice. */
export function renderLineTable(sums: Sums): Markup {
  const rows = sums.line_items.map(
    (line) =>
      markup`<tr><th scope="row"><bdi>${line.description}</bdi><span class="sub narrow-only">${line.quantity.toLocaleString('en-US')} × ${formatUsd(line.unit_price_cents)}</span></th><td class="number wide-only">${line.quantity.toLocaleString('en-US')}</td><td class="number wide-only">${formatUsd(line.unit_price_cents)}</td><td class="number">${formatUsd(line.total_cents)}</td></tr>`,
  );
  return markup`<table class="lines">
<thead><tr><th scope="col">Item</th><th scope="col" class="number wide-only">Quantity</th><th scope="col" class="number wide-only">Price</th><th scope="col" class="number">Amount</th></tr></thead>
<tbody>${rows}</tbody></table>
<dl class="sums"><div><dt>Subtotal</dt><dd>${formatUsd(sums.subtotal_cents)}</dd></div>
<div><dt>${formatTaxLabel(sums.tax)}</dt><dd>${formatUsd(sums.tax_cents)}</dd></div>
<div class="total"><dt>Total</dt><dd>${formatUsd(sums.total_cents)}</dd></div></dl>
${sums.tax !== null && sums.tax !== undefined && sums.tax.note !== '' && markup`<p class="hint">${sums.tax.note}</p>`}`;
}

function formatTaxLabel(tax: AppliedTax | null | undefined): string {
  if (tax === null || tax === undefined || tax.rate_basis_points === 0) return tax?.name ?? 'Tax';
  return `${tax.name} ${(tax.rate_basis_points / 100).toLocaleString('en-US')} %`;
}
