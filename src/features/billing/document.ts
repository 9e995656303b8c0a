/** Quotes, invoices and credit notes as documents: the content that accounts payable expects, in the usual order. */
import { getLabName } from '#core/context.ts';
import { formatUsd } from '#core/money.ts';
import type { PdfBlock, PdfDocument, PdfFact } from '#documents/document.ts';
import type { AppliedTax, LineItem } from '../pricing/contract.ts';
import { formatLongDay } from '#core/words.ts';
import { getCountryName } from '#core/countries.ts';
import type { Buyer, Parties, Seller } from './rules.ts';

const LANGUAGE = 'en';
const HOW_TO_NAME = '(set LAB_NAME to print your own name)';
const SANDBOX_NOTICE =
  'Test document of a sandbox environment: no goods or services are supplied and no payment is due.';

/** The context of every document. */
export interface Surroundings {
  readonly isSandbox: boolean;
  /** The current seller, for documents issued while the lab had no name. */
  readonly seller: Seller;
}

interface Sums {
  readonly currency: string;
  readonly line_items: readonly LineItem[];
  readonly subtotal_cents: number;
  readonly tax_cents: number;
  readonly total_cents: number;
  readonly tax: AppliedTax;
}

export interface QuoteDocument extends Sums {
  readonly quote_number: string;
  readonly status: 'draft' | 'open' | 'accepted' | 'canceled' | 'stale';
  readonly created_at: string;
  readonly opened_at: string | null;
  readonly valid_until: string;
  readonly experiment_code: string;
  /** What it is for: names and values. */
  readonly scope: readonly (readonly [label: string, value: string])[];
  /** When results are expected, in words; null where no date is promised. */
  readonly results: string | null;
  readonly notes: string;
  readonly terms_and_conditions: string;
  readonly parties: Parties;
}

export function buildQuoteDocument(quote: QuoteDocument, around: Surroundings): PdfDocument {
  const number = quote.quote_number;
  const issuedAt = quote.opened_at ?? quote.created_at;
  return {
    ...buildFrame(quote.parties, around, `Quote ${number}`, issuedAt),
    blocks: [
      buildMasthead(quote.parties, around, 'Quote', number, getQuoteStamp(quote)),
      buildParties(quote.parties.buyer, 'FOR', [
        { label: 'Quote date', value: formatDay(issuedAt) },
        { label: 'Valid until', value: formatDay(quote.valid_until) },
        { label: 'Experiment', value: quote.experiment_code },
        ...(quote.results === null ? [] : [{ label: 'Results', value: quote.results }]),
      ]),
      ...buildSandboxNotice(around),
      { kind: 'heading', text: 'Scope' },
      { kind: 'facts', facts: quote.scope.map(([label, value]) => ({ label, value })) },
      ...buildLines(quote),
      ...buildSection('Notes', quote.notes),
      ...buildSection('Terms and conditions', quote.terms_and_conditions),
    ],
  };
}

function getQuoteStamp({ status }: QuoteDocument): Stamp | undefined {
  if (status === 'draft') return { text: 'DRAFT', tone: 'attention' };
  if (status === 'accepted') return { text: 'ACCEPTED', tone: 'good' };
  if (status === 'canceled') return { text: 'CANCELED', tone: 'attention' };
  return status === 'stale' ? { text: 'EXPIRED', tone: 'attention' } : undefined;
}

export interface InvoiceDocument extends Sums {
  readonly invoice_number: string;
  readonly status: 'open' | 'paid' | 'void' | 'uncollectible' | 'draft';
  readonly finalized_at: string;
  readonly due_date: string | null;
  readonly paid_at: string | null;
  readonly payment_method: string;
  readonly purchase_order_number: string | null;
  readonly experiment_code: string;
  readonly quote_number: string;
  readonly settlement_reference: Readonly<Record<string, unknown>> | null;
  readonly hosted_url: string | null;
  /** Payment address for programs. */
  readonly pay_url: string;
  readonly credit_notes: readonly CreditedPart[];
  readonly parties: Parties;
  readonly replaces: { readonly invoice_number: string | null } | null;
  readonly replaced_by: { readonly invoice_number: string | null } | null;
}

interface CreditedPart {
  readonly credit_note_number: string;
  readonly amount_cents: number;
  readonly refunded_at: string | null;
}

export function buildInvoiceDocument(invoice: InvoiceDocument, around: Surroundings): PdfDocument {
  const number = invoice.invoice_number;
  return {
    ...buildFrame(invoice.parties, around, `Invoice ${number}`, invoice.finalized_at),
    blocks: [
      buildMasthead(invoice.parties, around, 'Invoice', number, getInvoiceStamp(invoice)),
      buildParties(invoice.parties.buyer, 'BILLED TO', listInvoiceFacts(invoice)),
      ...buildSandboxNotice(around),
      ...buildLines(invoice),
      ...describePayment(invoice, around),
    ],
  };
}

function listInvoiceFacts(invoice: InvoiceDocument): PdfFact[] {
  const { purchase_order_number: order, due_date: due, paid_at: paidAt } = invoice;
  const replaced = invoice.replaces?.invoice_number;
  return [
    { label: 'Invoice date', value: formatDay(invoice.finalized_at) },
    ...(due === null ? [] : [{ label: 'Due date', value: formatDay(due) }]),
    ...(paidAt === null ? [] : [{ label: 'Paid', value: formatDay(paidAt) }]),
    ...(order === null ? [] : [{ label: 'Purchase order', value: order }]),
    ...(replaced === undefined || replaced === null ? [] : [{ label: 'Replaces invoice', value: replaced }]),
    { label: 'Quote', value: invoice.quote_number },
    { label: 'Experiment', value: invoice.experiment_code },
  ];
}

function getInvoiceStamp({ status, paid_at: paidAt }: InvoiceDocument): Stamp | undefined {
  if (status === 'paid') return { text: `PAID ${formatDay(paidAt ?? '')}`.trim(), tone: 'good' };
  if (status === 'void') return { text: 'VOID', tone: 'attention' };
  return status === 'uncollectible' ? { text: 'CLOSED', tone: 'attention' } : undefined;
}

function describePayment(invoice: InvoiceDocument, around: Surroundings): PdfBlock[] {
  if (invoice.status === 'paid') {
    const reference = formatSettlement(invoice.settlement_reference);
    const by = reference === null ? '' : ` Payment reference: ${reference}.`;
    return [
      { kind: 'notice', tone: 'good', text: `Received with thanks.${by}` },
      ...invoice.credit_notes.map((note) => describeCredit(note)),
    ];
  }
  if (invoice.status !== 'open') {
    const text = invoice.status === 'uncollectible' ? STILL_OWED : formatVoidSentence(invoice);
    return [{ kind: 'notice', tone: 'attention', text }];
  }
  if (invoice.payment_method !== 'async_invoice') return describePaymentByProgram(invoice);
  const { bank_lines: bank } = invoice.parties.seller ?? around.seller;
  const online = invoice.hosted_url === null ? [] : [{ label: 'Payment page', value: invoice.hosted_url }];
  const transfer = bank.length === 0 ? [] : [{ label: 'Bank transfer', value: bank.join('\n') }];
  return [
    { kind: 'heading', text: 'How to pay' },
    {
      kind: 'facts',
      facts: [...transfer, { label: 'Reference', value: invoice.invoice_number }, ...online],
    },
  ];
}

function formatVoidSentence({ replaced_by: next }: InvoiceDocument): string {
  const instead = next === null ? '' : ` Invoice ${next.invoice_number ?? ''} replaces it.`;
  return `This invoice is void. Do not pay it.${instead}`;
}

const STILL_OWED =
  'This invoice was closed because it was not paid in time. The amount is still owed: write to the lab to settle it.';

function describePaymentByProgram({
  payment_method: method,
  pay_url: url,
  ...invoice
}: InvoiceDocument): PdfBlock[] {
  return [
    { kind: 'heading', text: 'How to pay' },
    {
      kind: 'facts',
      facts: [
        { label: 'Method', value: `${method}, by a program` },
        { label: 'Address', value: `POST ${url}` },
        { label: 'Reference', value: invoice.invoice_number },
      ],
    },
  ];
}

function describeCredit({
  credit_note_number: number,
  amount_cents: amount,
  refunded_at: at,
}: CreditedPart): PdfBlock {
  const state = at === null ? 'is being refunded' : `was refunded on ${formatDay(at)}`;
  return { kind: 'notice', tone: 'plain', text: `Credit note ${number}: ${formatUsd(amount)} ${state}.` };
}

function formatSettlement(reference: Readonly<Record<string, unknown>> | null): string | null {
  const references = [
    reference?.payment_id,
    reference?.payment_intent_id,
    reference?.tx_hash,
    reference?.reference,
  ];
  const found = references.find((value) => typeof value === 'string');
  return typeof found === 'string' ? found : null;
}

export interface CreditNoteDocument {
  readonly credit_note_number: string;
  readonly created_at: string;
  readonly status: 'pending' | 'refunded' | 'action_required';
  readonly refunded_at: string | null;
  readonly amount_cents: number;
  readonly tax_cents: number;
  readonly currency: string;
  readonly reason: string;
  readonly tax: AppliedTax;
  readonly invoice_number: string;
  readonly experiment_code: string;
  readonly parties: Parties;
}

export function buildCreditNoteDocument(note: CreditNoteDocument, around: Surroundings): PdfDocument {
  const number = note.credit_note_number;
  const net = note.amount_cents - note.tax_cents;
  const credited: LineItem = {
    description: `Credit for invoice ${note.invoice_number}: ${note.reason}`,
    quantity: 1,
    unit_price_cents: net,
    total_cents: net,
  };
  const stamp: Stamp | undefined =
    note.refunded_at === null ? undefined : { text: `REFUNDED ${formatDay(note.refunded_at)}`, tone: 'good' };
  return {
    ...buildFrame(note.parties, around, `Credit note ${number}`, note.created_at),
    blocks: [
      buildMasthead(note.parties, around, 'Credit note', number, stamp),
      buildParties(note.parties.buyer, 'CREDITED TO', [
        { label: 'Date', value: formatDay(note.created_at) },
        { label: 'Invoice', value: note.invoice_number },
        { label: 'Experiment', value: note.experiment_code },
      ]),
      ...buildSandboxNotice(around),
      ...buildLines({
        ...note,
        line_items: [credited],
        subtotal_cents: net,
        total_cents: note.amount_cents,
      }),
      {
        kind: 'notice',
        tone: 'plain',
        text:
          note.refunded_at === null
            ? 'The amount is being refunded to the original payment method.'
            : 'The amount was refunded to the original payment method.',
      },
    ],
  };
}

function buildFrame(both: Parties, around: Surroundings, title: string, createdAt: string) {
  const seller = both.seller ?? around.seller;
  const taxId = seller.tax_id === null ? '' : ` · Tax id ${seller.tax_id}`;
  return {
    title,
    author: getLabName(seller),
    subject: title,
    language: LANGUAGE,
    paper: both.paper,
    createdAt,
    footer: `${title} · ${getLabName(seller)}${taxId}`,
  };
}

type Stamp = NonNullable<Extract<PdfBlock, { kind: 'masthead' }>['stamp']>;

function buildMasthead(
  both: Parties,
  around: Surroundings,
  title: string,
  subtitle: string,
  stamp: Stamp | undefined,
): PdfBlock {
  const seller = both.seller ?? around.seller;
  const issuerLines = [
    ...seller.address_lines,
    ...(seller.tax_id === null ? [] : [`Tax id ${seller.tax_id}`]),
    ...(seller.email === null ? [] : [seller.email]),
  ];
  return {
    kind: 'masthead',
    issuer: seller.name ?? `${getLabName(seller)} ${HOW_TO_NAME}`,
    issuerLines,
    title,
    subtitle,
    ...(stamp === undefined ? {} : { stamp }),
  };
}

function buildParties(buyer: Buyer, label: string, facts: readonly PdfFact[]): PdfBlock {
  const lines = [
    buyer.name,
    ...buyer.address_lines,
    ...(buyer.country === null ? [] : [getCountryName(buyer.country)]),
    ...(buyer.tax_id === null ? [] : [`Tax id ${buyer.tax_id}`]),
  ];
  return { kind: 'parties', label, lines, facts };
}

function buildSandboxNotice({ isSandbox }: Surroundings): PdfBlock[] {
  return isSandbox ? [{ kind: 'notice', tone: 'attention', text: SANDBOX_NOTICE }] : [];
}

function buildLines(sums: Sums): PdfBlock[] {
  const rows = sums.line_items.map((item) => [
    item.description,
    item.quantity.toLocaleString('en-US'),
    formatUsd(item.unit_price_cents),
    formatUsd(item.total_cents),
  ]);
  const { name, note, rate_basis_points: basisPoints } = sums.tax;
  const rate = basisPoints === 0 ? '' : ` ${formatPercent(basisPoints)}`;
  return [
    {
      kind: 'table',
      columns: [
        { title: 'Description', align: 'left', grows: true },
        { title: 'Quantity', align: 'right' },
        { title: 'Unit price', align: 'right' },
        { title: 'Amount', align: 'right' },
      ],
      rows,
    },
    {
      kind: 'sums',
      rows: [
        { label: 'Subtotal', value: formatUsd(sums.subtotal_cents) },
        { label: `${name}${rate}`, value: formatUsd(sums.tax_cents) },
        { label: `Total (${sums.currency.toUpperCase()})`, value: formatUsd(sums.total_cents) },
      ],
    },
    ...(note === '' ? [] : [{ kind: 'paragraph' as const, text: note }]),
  ];
}

/** `1925` → `19.25 %`. */
function formatPercent(basisPoints: number): string {
  return `${(basisPoints / 100).toLocaleString('en-US', { maximumFractionDigits: 2 })} %`;
}

function buildSection(title: string, text: string): PdfBlock[] {
  return text === ''
    ? []
    : [
        { kind: 'heading', text: title },
        { kind: 'paragraph', text, muted: true },
      ];
}

function formatDay(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? '' : formatLongDay(new Date(at));
}
