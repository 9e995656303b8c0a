import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { insertInto, insertOwned, updateRows } from '#core/write-rows.ts';
import { getOrganizationId, type LabScope, type OrganizationScope, type Scope } from '#core/scope.ts';
import { isUuid } from '#core/ids.ts';
import type { Parties } from '../billing/rules.ts';
import type { AppliedTax, LineItem } from '../pricing/contract.ts';
import type { PaymentMethod } from '#core/capability.ts';
import type { ListQuery } from '#core/filter/index.ts';
import { listPage } from '#core/list-page.ts';
import { invoicesList, labInvoicesList } from './lists.ts';
import type { RawJson } from '#core/reply.ts';

export interface InvoiceRow {
  readonly id: string;
  readonly external_id: string;
  readonly organization_id: string;
  readonly experiment_id: string;
  readonly experiment_code: string;
  /** When the results of its order are expected. */
  readonly eta: string | null;
  readonly quote_id: string;
  readonly invoice_number: string | null;
  readonly status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  readonly payment_method: PaymentMethod;
  readonly currency: string;
  readonly line_items: LineItem[];
  readonly subtotal_cents: number;
  readonly tax_cents: number;
  readonly total_cents: number;
  readonly amount_paid_cents: number;
  readonly amount_refunded_cents: number;
  readonly purchase_order_number: string | null;
  readonly hosted_key: string | null;
  readonly closed_reason: string | null;
  readonly tax: AppliedTax | null;
  readonly parties: Parties | null;
  readonly finalized_at: string | null;
  readonly settlement_reference: { type: string } | null;
  readonly due_date: string | null;
  readonly paid_at: string | null;
  readonly created_at: string;
  /** The void invoice that this one replaces. */
  readonly replaces: InvoiceLink | null;
  /** The invoice that replaces this void one. */
  readonly replaced_by: (InvoiceLink & { readonly hosted_key: string | null }) | null;
}

interface InvoiceLink {
  readonly id: string;
  readonly invoice_number: string | null;
}

const COLUMNS = `i.id, i.external_id, i.organization_id, i.experiment_id, e.code as experiment_code, e.eta, i.quote_id,
  i.invoice_number, i.status, i.payment_method, i.currency, i.line_items, i.subtotal_cents, i.tax_cents, i.total_cents,
  i.amount_paid_cents, i.amount_refunded_cents, i.purchase_order_number, i.hosted_key, i.closed_reason, i.tax, i.parties, i.finalized_at, i.settlement_reference, i.due_date, i.paid_at,
  i.created_at,
  (select json_build_object('id', o.id, 'invoice_number', o.invoice_number) from invoices o
   where o.id = i.replaces_id) as replaces,
  (select json_build_object('id', n.id, 'invoice_number', n.invoice_number, 'hosted_key', n.hosted_key)
   from invoices n where n.replaces_id = i.id) as replaced_by`;
const FROM = `from invoices i join experiments e on e.id = i.experiment_id
  where ($1::uuid is null or i.organization_id = $1)`;

export async function findInvoice(scope: Scope, sql: Sql, id: string): Promise<InvoiceRow | undefined> {
  const column = isUuid(id) ? 'i.id' : 'i.external_id';
  return getFirst(
    await sql.query<InvoiceRow>(`select ${COLUMNS} ${FROM} and ${column} = $2`, [
      getOrganizationId(scope),
      id,
    ]),
  );
}

export async function lockInvoice(scope: Scope, sql: Sql, id: string): Promise<InvoiceRow | undefined> {
  const column = isUuid(id) ? 'i.id' : 'i.external_id';
  const rows = await sql.query<InvoiceRow>(`select ${COLUMNS} ${FROM} and ${column} = $2 for update of i`, [
    getOrganizationId(scope),
    id,
  ]);
  return getFirst(rows);
}

/** Finds the current invoice. A void invoice that was issued again does not count. */
export async function findInvoiceOfExperiment(
  scope: Scope,
  sql: Sql,
  experimentId: string,
): Promise<InvoiceRow | undefined> {
  const rows = await sql.query<InvoiceRow>(
    `select ${COLUMNS} ${FROM} and i.experiment_id = $2
       and not exists (select 1 from invoices n where n.replaces_id = i.id) order by i.created_at desc limit 1`,
    [getOrganizationId(scope), experimentId],
  );
  return getFirst(rows);
}

/** Finds the invoice that the acceptance of the quote made, not one that staff issued in its place. */
export async function findInvoiceOfAcceptance(
  scope: Scope,
  sql: Sql,
  quoteId: string,
): Promise<InvoiceRow | undefined> {
  const rows = await sql.query<InvoiceRow>(
    `select ${COLUMNS} ${FROM} and i.quote_id = $2 and i.replaces_id is null`,
    [getOrganizationId(scope), quoteId],
  );
  return getFirst(rows);
}

/** Finds an invoice by the unguessable key of its hosted page, the only credential that the page needs. */
export async function findHostedInvoice(
  _lab: LabScope,
  sql: Sql,
  hostedKey: string,
): Promise<(InvoiceRow & { organization_name: string }) | undefined> {
  const rows = await sql.query<InvoiceRow & { organization_name: string }>(
    `select ${COLUMNS}, o.name as organization_name from invoices i
     join experiments e on e.id = i.experiment_id join organizations o on o.id = i.organization_id
     where i.hosted_key = $1`,
    [hostedKey],
  );
  return getFirst(rows);
}

/** The row lock of the counter is held until commit, so that the numbers have no gaps. */
export async function takeDocumentNumber(
  sql: Sql,
  kind: 'invoice' | 'credit_note',
  year: number,
): Promise<number> {
  const rows = await sql.query<{ last_number: number }>(
    ...insertInto(
      'invoice_counters',
      { kind, year, last_number: 1 },
      `on conflict (kind, year) do update set last_number = invoice_counters.last_number + 1 returning last_number`,
    ),
  );
  return getExactlyOne(rows).last_number;
}

interface NewInvoice {
  readonly id: string;
  readonly external_id: string;
  readonly experiment_id: string;
  readonly quote_id: string;
  readonly payment_method: PaymentMethod;
  readonly currency: string;
  readonly line_items: readonly LineItem[];
  readonly subtotal_cents: number;
  readonly tax_cents: number;
  readonly total_cents: number;
  readonly tax: AppliedTax;
  readonly purchase_order_number: string | null;
  readonly created_at: Date;
  /** For an invoice issued again: the void one, and the seller and buyer of the new one. */
  readonly replacement?: { readonly replacesId: string; readonly parties: Parties };
}

/** Every invoice begins as a draft. */
export async function insertInvoice(
  scope: OrganizationScope,
  sql: Sql,
  { replacement, ...invoice }: NewInvoice,
): Promise<void> {
  await sql.query(
    ...insertOwned(scope, 'invoices', {
      ...invoice,
      status: 'draft',
      line_items: JSON.stringify(invoice.line_items),
      tax: JSON.stringify(invoice.tax),
      updated_at: invoice.created_at,
      replaces_id: replacement?.replacesId ?? null,
      parties: replacement === undefined ? null : JSON.stringify(replacement.parties),
    }),
  );
}

export async function finalizeInvoice(
  scope: Scope,
  sql: Sql,
  id: string,
  {
    at,
    ...values
  }: { invoice_number: string; hosted_key: string; due_date: Date; parties: Parties; at: Date },
): Promise<void> {
  const rows = await sql.query<{ id: string }>(
    ...updateRows(
      'invoices',
      {
        ...values,
        status: 'open',
        finalized_at: at,
        updated_at: at,
        parties: JSON.stringify(values.parties),
      },
      `where ($1::uuid is null or organization_id = $1) and id = $2 and status = 'draft' returning id`,
      [getOrganizationId(scope), id],
    ),
  );
  getExactlyOne(rows);
}

export async function markPaid(
  scope: Scope,
  sql: Sql,
  id: string,
  settlement: { amountCents: number; reference: Readonly<Record<string, unknown>>; at: Date },
): Promise<void> {
  const rows = await sql.query<{ id: string }>(
    `update invoices set status = 'paid', amount_paid_cents = $3, settlement_reference = $4, paid_at = $5,
       updated_at = $5
     where ($1::uuid is null or organization_id = $1) and id = $2 and status in ('open', 'uncollectible') returning id`,
    [
      getOrganizationId(scope),
      id,
      settlement.amountCents,
      JSON.stringify(settlement.reference),
      settlement.at,
    ],
  );
  getExactlyOne(rows);
}

/** Adds money that a credit note has sent back. */
export async function addRefunded(
  scope: Scope,
  sql: Sql,
  id: string,
  amountCents: number,
  at: Date,
): Promise<void> {
  const rows = await sql.query<{ id: string }>(
    `update invoices set amount_refunded_cents = amount_refunded_cents + $3, updated_at = $4
     where ($1::uuid is null or organization_id = $1) and id = $2 and status = 'paid' returning id`,
    [getOrganizationId(scope), id, amountCents, at],
  );
  getExactlyOne(rows);
}

/** Closes an invoice that will not be paid. The caller holds the row lock. */
export async function closeInvoice(
  scope: Scope,
  sql: Sql,
  id: string,
  change: { readonly to: 'void' | 'uncollectible'; readonly reason: string; readonly at: Date },
): Promise<void> {
  const rows = await sql.query<{ id: string }>(
    `update invoices set status = $3, closed_reason = $4, updated_at = $5
     where ($1::uuid is null or organization_id = $1) and id = $2 and status in ('draft', 'open', 'uncollectible')
     returning id`,
    [getOrganizationId(scope), id, change.to, change.reason, change.at],
  );
  getExactlyOne(rows);
}

export function listInvoicePage(scope: Scope, sql: Sql, query: ListQuery, baseUrl: string): Promise<RawJson> {
  const isLab = scope.kind === 'lab';
  return listPage(
    sql,
    {
      item: (isLab ? labInvoicesList : invoicesList).columns,
      from: 'invoices i',
      alias: 'i',
      joins: [
        { alias: 'e', sql: 'join experiments e on e.id = i.experiment_id' },
        ...(isLab ? [{ alias: 'o', sql: 'join organizations o on o.id = i.organization_id' }] : []),
      ],
      where: `${isLab ? '$1::uuid is null' : 'i.organization_id = $1'} and $2::text is not null`,
      values: [getOrganizationId(scope), baseUrl],
    },
    query,
  );
}
