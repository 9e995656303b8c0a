/** `/lab/invoices/{id}`: one invoice with its lines, its credit notes, and what may be done about it. */
import { formatUsd } from '#core/money.ts';
import type { Output } from '#core/operation.ts';
import { getOrganizationBilling } from '../../billing/contract.ts';
import { getAnyInvoice, reissueInvoice, sendInvoice, voidInvoice, writeOffInvoice } from '../lab-contract.ts';
import { isPaidByTransfer } from '../rules.ts';
import { recordBankTransfer } from '../../payments/contract.ts';
import { refundInvoice } from '../refunds/contract.ts';
import {
  act,
  defineAction,
  readBody,
  renderAction,
  renderDone,
  type Action,
  type ShownAction,
} from '#ui/action.ts';
import { formatCents, computeLeftToRefund, readAmount } from '#ui/amount.ts';
import type { PortalContext, FormContext } from '#ui/context.ts';
import { findSentence, getPathParameter, queryParameter } from '#ui/http.ts';
import { renderInvoiceChip } from './invoice-chip.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup, type Markup, type Part } from '#ui/markup.ts';
import { renderDay, renderTime, toSentenceCase } from '#ui/words.ts';
import { createFormsView, readKey, renderNotice, type FormsView } from '#ui/form.ts';
import { renderTable, type Column } from '#ui/list.ts';
import { renderClient, renderFacts, renderLabHead } from '#ui/lab-pieces.ts';
import { findRefundState } from './refunds.ts';
import type { Remark, LabRoutes } from '#ui/screen.ts';
import { isConfirmed, renderConfirmation, type Confirmation } from '#ui/confirm.ts';

type Invoice = Output<typeof getAnyInvoice>;

const PATH = '/lab/invoices/:invoice_id';
const REASON = { label: 'Reason', hint: 'Clients read it.' };

const sending = defineAction(sendInvoice, {
  path: `${PATH}/send`,
  page: PATH,
  button: 'Send the invoice',
  tone: 'primary',
  done: 'The invoice is sent and can be paid.',
});
const transfer = defineAction(recordBankTransfer, {
  path: `${PATH}/transfer`,
  page: PATH,
  button: 'Record the transfer',
  fields: {
    reference: {
      label: 'Reference of the transfer',
      hint: 'As the bank statement shows it; each reference counts once.',
      isRequired: true,
    },
    received_on: { label: 'Day of the statement', kind: 'date' },
  },
  does: recordTransfer,
});
const refunding = defineAction(refundInvoice, {
  path: `${PATH}/refunds`,
  page: PATH,
  summary: 'Refund',
  button: 'Refund',
  tone: 'danger',
  fields: {
    amount_cents: { label: 'Amount in USD', hint: 'Empty: all that is left.', lengthMax: 15 },
    reason: REASON,
  },
  does: refund,
});
const reissue = defineAction(reissueInvoice, {
  path: `${PATH}/reissue`,
  page: '/lab/invoices/:id',
  button: 'Issue it again',
  tone: 'primary',
  fields: {
    reason: REASON,
    purchase_order_number: { label: 'Order number', hint: 'Printed on the new invoice.' },
  },
  done: 'This invoice replaces the void one.',
});
const voiding = defineAction(voidInvoice, {
  path: `${PATH}/void`,
  page: PATH,
  summary: 'Void the invoice',
  button: 'Void the invoice',
  tone: 'danger',
  hint: 'Its postings are reversed. A late payment is refunded.',
  fields: { reason: REASON },
  done: 'The invoice is void.',
});
const writeOff = defineAction(writeOffInvoice, {
  path: `${PATH}/uncollectible`,
  page: PATH,
  summary: 'Close it unpaid',
  button: 'Close it unpaid',
  tone: 'danger',
  hint: 'A late payment still settles it.',
  fields: { reason: REASON },
  done: 'The invoice is closed unpaid. A late payment still settles it.',
});
const ACTIONS = [sending, transfer, refunding, reissue, voiding, writeOff];

/** What became of money, which the answer of the operation decides. */
const DONE: Readonly<Record<string, string>> = {
  payment: 'The transfer was recorded; the invoice is paid.',
  collected:
    'The transfer was recorded; the invoice is paid as soon as the notice of the payment has arrived.',
  returned: 'The transfer was recorded. Nothing was due, so it is owed back: see the refund below.',
  known: 'This transfer was recorded before; nothing was changed.',
  refunds: 'The credit note was issued, and the service sends the money back.',
  transfer_refund: 'The credit note was issued; send the money by transfer and record it under Refunds.',
};

export function addInvoicePage(routes: LabRoutes): void {
  routes.addPage(PATH, (context) => loadInvoicePage(context));
  routes.addActions(ACTIONS, loadInvoicePage);
}

const readParameters = ({ request }: PortalContext): { readonly invoice_id: string } => ({
  invoice_id: getPathParameter(request, 'invoice_id'),
});

async function loadInvoicePage(context: PortalContext, remark?: Remark): Promise<PageContent> {
  const { api, request, parts } = context;
  const invoice = await api.call(getAnyInvoice, { params: readParameters(context) });
  const client = await api.call(getOrganizationBilling, {
    params: { organization_id: invoice.organization_id },
  });
  const now = parts.work.clock.now();
  const name = invoice.invoice_number ?? 'Draft invoice';
  const body = markup`${renderLabHead(name, {
    above: ['/lab/invoices', 'Invoices'],
    over: markup`<a class="mono" href="/lab/experiments/${invoice.experiment_code}">${invoice.experiment_code}</a> · <bdi>${client.organization_name}</bdi>`,
    side: renderInvoiceChip(invoice, now),
  })}
${renderDone(context, ACTIONS) ?? renderNotice(findSentence(DONE, queryParameter(request, 'done')))}
<div class="columns split">
<div class="first stack">${renderActions(createFormsView(context, remark), invoice, readSuggestion(request))}</div>
<div class="main stack">${renderLines(invoice)}${renderCreditNotes(invoice)}</div>
<div class="rest stack">${renderInvoiceFacts(invoice, client.organization_name)}</div></div>`;
  return { title: name, body };
}

type Line = Invoice['line_items'][number];

const LINE_COLUMNS: readonly Column<Line>[] = [
  { head: 'Line', render: ({ description }) => markup`<bdi>${description}</bdi>` },
  { head: 'Quantity', isNumber: true, render: ({ quantity }) => quantity.toLocaleString('en-US') },
  { head: 'Price', isNumber: true, render: ({ unit_price_cents: cents }) => formatUsd(cents) },
  { head: 'Total', isNumber: true, render: ({ total_cents: cents }) => formatUsd(cents) },
];

function renderLines(invoice: Invoice): Markup {
  const sums: readonly (readonly [string, number])[] = [
    ['Subtotal', invoice.subtotal_cents],
    [invoice.tax.name === '' ? 'Tax' : invoice.tax.name, invoice.tax_cents],
  ];
  return markup`<section class="card flush" aria-labelledby="lines"><div class="card-head"><h2 id="lines">Lines</h2></div>${renderTable(LINE_COLUMNS, invoice.line_items)}
<dl class="sums lab-sums">${sums.map(([label, cents]) => markup`<div><dt>${label}</dt><dd>${formatUsd(cents)}</dd></div>`)}<div class="total"><dt>Total</dt><dd>${formatUsd(invoice.total_cents)}</dd></div></dl></section>`;
}

function renderInvoiceFacts(invoice: Invoice, client: string): Markup {
  const { replaces, replaced_by: replacedBy, settlement_reference: reference } = invoice;
  const facts: readonly (readonly [string, Part])[] = [
    ['Client', renderClient(invoice.organization_id, client)],
    ['Made', renderTime(invoice.created_at)],
    ['Due', invoice.due_date !== null && renderDay(invoice.due_date)],
    ['Paid', typeof invoice.paid_at === 'string' && renderTime(invoice.paid_at)],
    ['Paid amount', invoice.amount_paid_cents > 0 && formatUsd(invoice.amount_paid_cents)],
    ['Refunded', invoice.amount_refunded_cents > 0 && formatUsd(invoice.amount_refunded_cents)],
    ['By', reference && toSentenceCase(reference.type)],
    ['Order number', invoice.purchase_order_number && markup`<bdi>${invoice.purchase_order_number}</bdi>`],
    ['Closed because', invoice.closed_reason && markup`<bdi>${invoice.closed_reason}</bdi>`],
    ['Replaces', replaces !== null && linkTo(replaces)],
    ['Replaced by', replacedBy !== null && linkTo(replacedBy)],
    [
      'Page for the payer',
      typeof invoice.hosted_invoice_url === 'string' &&
        markup`<a href="${new URL(invoice.hosted_invoice_url).pathname}">Open</a>`,
    ],
  ];
  return markup`<section class="card" aria-labelledby="facts"><h2 id="facts">Facts</h2>${renderFacts(facts)}</section>`;
}

function linkTo({
  id,
  invoice_number: number,
}: {
  readonly id: string;
  readonly invoice_number: string | null;
}): Markup {
  return markup`<a href="/lab/invoices/${id}">${number ?? 'Draft'}</a>`;
}

function renderCreditNotes(invoice: Invoice): Markup | null {
  const { credit_notes: notes } = invoice;
  if (notes.length === 0) return null;
  const rows = notes.map((note) => {
    const [tone, words] = findRefundState(note.status, isPaidByTransfer(invoice));
    return markup`<li><div><strong>${note.credit_note_number}</strong> <span class="chip ${tone}">${words}</span><p class="hint"><bdi>${note.reason}</bdi></p></div><div class="since"><strong class="number">${formatUsd(note.amount_cents)}</strong><span class="sub">${renderDay(note.created_at)}</span></div></li>`;
  });
  return markup`<section class="card" aria-labelledby="notes"><div class="card-head"><h2 id="notes">Credit notes</h2><a href="/lab/refunds">Refunds</a></div><ul class="rows">${rows}</ul></section>`;
}

/** Reads the amount of the link that led here, such as `?refund=14700` in cents. */
function readSuggestion(request: PortalContext['request']): number | undefined {
  const text = queryParameter(request, 'refund');
  return /^[1-9]\d{0,11}$/.test(text) ? Number(text) : undefined;
}

function renderActions(forms: FormsView, invoice: Invoice, suggestedCents: number | undefined): Markup {
  const { status } = invoice;
  const offer = (action: Action, states: readonly Invoice['status'][], shown: ShownAction = {}) =>
    states.includes(status) && renderAction(forms, action, { params: { invoice_id: invoice.id }, ...shown });
  const offered = [
    offer(sending, ['draft']),
    // A transfer may arrive late or twice, so it is recorded in each of these states.
    offer(transfer, ['open', 'uncollectible'], {
      tone: 'primary',
      hint: 'The amount is the total of the invoice.',
    }),
    offer(transfer, ['paid', 'void'], {
      summary: 'Record another transfer',
      hint: 'Nothing is due, so the money is owed back.',
    }),
    offer(refunding, ['paid'], {
      isOpen: suggestedCents !== undefined,
      values: { amount_cents: suggestedCents },
    }),
    invoice.replaced_by === null &&
      offer(reissue, ['void'], {
        hint: markup`Correct the <a href="/lab/clients/${invoice.organization_id}">billing details</a> first.`,
        values: { purchase_order_number: invoice.purchase_order_number },
      }),
    offer(voiding, ['draft', 'open', 'uncollectible']),
    offer(writeOff, ['open']),
  ].filter((form) => form !== false && form !== null);
  return markup`<section class="card stack" aria-labelledby="actions"><h2 id="actions">Actions</h2>${
    offered.length === 0
      ? markup`<p class="muted">This state needs nothing that your roles allow.</p>`
      : markup`<div class="decision lab-actions">${offered}</div>`
  }</section>`;
}

async function recordTransfer(context: FormContext): Promise<string> {
  const { api, form } = context;
  const params = readParameters(context);
  const input = { params, body: readBody(transfer, form), idempotencyKey: readKey(form) };
  const { taken_as: done } = await api.call(recordBankTransfer, input);
  return getNext(params.invoice_id, done);
}

function getNext(id: string, done: string): string {
  return `/lab/invoices/${encodeURIComponent(id)}?done=${done}`;
}

async function refund(context: FormContext): Promise<string | PageContent> {
  const { api, form } = context;
  const params = readParameters(context);
  const typedCents = readAmount(form, 'amount_cents');
  if (!isConfirmed(form)) {
    const invoice = await api.call(getAnyInvoice, { params });
    const confirmation = describeRefund(invoice, typedCents);
    if (confirmation !== undefined)
      return renderConfirmation(context, { ...confirmation, back: `/lab/invoices/${invoice.id}` });
  }
  await act(context, refunding);
  const refunded = await api.call(getAnyInvoice, { params });
  return getNext(params.invoice_id, isPaidByTransfer(refunded) ? 'transfer_refund' : 'refunds');
}

/** Undefined where the operation refuses the refund and says why. */
function describeRefund(
  invoice: Output<typeof getAnyInvoice>,
  typedCents: number | undefined,
): Omit<Confirmation, 'back'> | undefined {
  const leftCents = computeLeftToRefund(invoice);
  const cents = typedCents ?? leftCents;
  if (invoice.status !== 'paid' || cents <= 0 || cents > leftCents) return undefined;
  const amount = formatUsd(cents);
  const rest = cents === leftCents ? 'all that is left' : `of ${formatUsd(leftCents)} that are left`;
  return {
    title: `Refund ${amount}?`,
    sentence: markup`A credit note over <strong class="number">${amount}</strong>, ${rest} of ${invoice.invoice_number ?? 'the invoice'}, is issued. ${isPaidByTransfer(invoice) ? 'No money moves by itself: you send it by bank transfer, and record the transfer.' : 'The service sends the money back the way it came.'}`,
    button: `Refund ${amount}`,
    settled: { amount_cents: formatCents(cents) },
  };
}
