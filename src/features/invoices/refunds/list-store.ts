import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { LabScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { PAYING_ATTEMPT, SEND_TO } from './store.ts';

export function listRefundPage(_lab: LabScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `r.id, r.organization_id, r.invoice_id, r.credit_note_number, r.status, r.rail, r.amount_cents, r.tax_cents,
        r.currency, o.name as organization_name, r.is_credit, r.reason, r.reference, r.problem, ${SEND_TO}, ${writeWireTime('r.created_at')} as created_at,
        ${writeWireTime('r.refunded_at')} as refunded_at`,
      from: 'refunds r',
      alias: 'r',
      joins: [
        { alias: 'i', sql: 'join invoices i on i.id = r.invoice_id' },
        { alias: 'a', sql: PAYING_ATTEMPT },
        { alias: 'o', sql: 'join organizations o on o.id = r.organization_id' },
      ],
      where: 'true',
      values: [],
    },
    query,
  );
}
