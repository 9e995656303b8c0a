import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import { getOrganizationId, type Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

const LAB_COLUMNS = `, ${writeWireTime('i.finalized_at')} as sent_at, o.name as organization_name`;

export function listInvoicePage(scope: Scope, sql: Sql, query: ListQuery, baseUrl: string): Promise<RawJson> {
  const isLab = scope.kind === 'lab';
  return listPage(
    sql,
    {
      item: `i.id, i.invoice_number, i.organization_id, i.experiment_id, e.code as experiment_code, i.status, i.payment_method,
        i.total_cents as amount_cents, i.currency, ${writeWireTime('i.created_at')} as created_at,
        ${writeWireTime('i.due_date')} as due_date, $2::text || '/pay/' || i.hosted_key as hosted_invoice_url${isLab ? LAB_COLUMNS : ''}`,
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
