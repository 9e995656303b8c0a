import { listFields, type ListQuery } from '#core/filter/index.ts';
import { listPage, wireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import { organizationOf, type Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

export const invoiceFields = listFields({
  name: 'invoices',
  key: 'id',
  defaultSort: '-created_at',
  fields: {
    id: { kind: 'uuid', sql: 'i.id' },
    invoice_number: { kind: 'text', sql: 'i.invoice_number', nullable: true },
    organization_id: { kind: 'uuid', sql: 'i.organization_id' },
    experiment_id: { kind: 'uuid', sql: 'i.experiment_id' },
    experiment_code: { kind: 'text', sql: 'e.code' },
    quote_id: { kind: 'text', sql: 'i.quote_id' },
    status: { kind: 'enum', sql: 'i.status', values: ['draft', 'open', 'paid', 'void', 'uncollectible'] },
    payment_method: { kind: 'text', sql: 'i.payment_method' },
    amount_cents: { kind: 'int', sql: 'i.total_cents' },
    currency: { kind: 'text', sql: 'i.currency' },
    due_date: { kind: 'timestamp', sql: 'i.due_date', nullable: true },
    paid_at: { kind: 'timestamp', sql: 'i.paid_at', nullable: true },
    created_at: { kind: 'timestamp', sql: 'i.created_at' },
  },
});

export function listInvoicePage(scope: Scope, sql: Sql, query: ListQuery, baseUrl: string): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `i.id, i.invoice_number, i.organization_id, i.experiment_id, e.code as experiment_code, i.status, i.payment_method,
        i.total_cents as amount_cents, i.currency, ${wireTime('i.created_at')} as created_at,
        ${wireTime('i.due_date')} as due_date, $2::text || '/pay/' || i.hosted_key as hosted_invoice_url`,
      from: 'invoices i',
      alias: 'i',
      joins: [{ alias: 'e', sql: 'join experiments e on e.id = i.experiment_id' }],
      where: `${scope.kind === 'lab' ? '$1::uuid is null' : 'i.organization_id = $1'} and $2::text is not null`,
      values: [organizationOf(scope), baseUrl],
    },
    query,
  );
}
