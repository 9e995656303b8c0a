/** The built-in processor's own record of invoices. `processor_payments` holds the payments it collected for them. */
import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';

export interface BuiltinInvoice {
  readonly id: string;
  readonly invoice_id: string;
  readonly status: 'open' | 'paid' | 'void';
  readonly amount_cents: number;
  readonly currency: string;
  /** Id of the payment it collected; null until then. */
  readonly payment_id: string | null;
}

/** Formats the id that the built-in processor gives to one of our invoices. */
export function formatBuiltinInvoiceId(invoiceId: string): string {
  return `bi_${invoiceId.replaceAll('-', '')}`;
}

const BOOK = `select b.id, b.invoice_id, b.status, b.amount_cents, b.currency, p.id as payment_id
  from builtin_invoices b left join processor_payments p on p.invoice_id = b.invoice_id`;

/** Opens the invoice unless it is open already; returns the stored row. */
export async function openBuiltinInvoice(
  scope: OrganizationScope,
  sql: Sql,
  invoice: {
    readonly invoiceId: string;
    readonly amountCents: number;
    readonly currency: string;
    readonly at: Date;
  },
): Promise<BuiltinInvoice> {
  await sql.query(
    ...insertInto(
      'builtin_invoices',
      {
        id: formatBuiltinInvoiceId(invoice.invoiceId),
        organization_id: scope.organizationId,
        invoice_id: invoice.invoiceId,
        status: 'open',
        amount_cents: invoice.amountCents,
        currency: invoice.currency,
        created_at: invoice.at,
      },
      'on conflict (invoice_id) do nothing',
    ),
  );
  return getExactlyOne(
    await sql.query<BuiltinInvoice>(`${BOOK} where b.organization_id = $1 and b.invoice_id = $2`, [
      scope.organizationId,
      invoice.invoiceId,
    ]),
  );
}

export async function findBuiltinInvoice(
  scope: Scope,
  sql: Sql,
  by: { readonly id: string } | { readonly invoiceId: string },
): Promise<BuiltinInvoice | undefined> {
  return getFirst(
    await sql.query<BuiltinInvoice>(
      `${BOOK} where ($1::uuid is null or b.organization_id = $1) and (b.id = $2 or b.invoice_id = $3)`,
      [getOrganizationId(scope), 'id' in by ? by.id : null, 'invoiceId' in by ? by.invoiceId : null],
    ),
  );
}

/** Closes an open invoice as paid or void. Returns false when it is no longer open. */
export async function closeBuiltinInvoice(
  scope: Scope,
  sql: Sql,
  id: string,
  status: 'paid' | 'void',
): Promise<boolean> {
  const rows = await sql.query<{ id: string }>(
    `update builtin_invoices set status = $3
     where ($1::uuid is null or organization_id = $1) and id = $2 and status = 'open' returning id`,
    [getOrganizationId(scope), id, status],
  );
  return rows.length > 0;
}
