import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import { getOrganizationId, type Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { IS_SHOWN } from './shown-quote.ts';

const OWN = `q.organization_id = $1 and ${IS_SHOWN}`;

const LAB_COLUMNS = `, q.rejection, q.origin, ${writeWireTime('q.opened_at')} as opened_at, o.name as organization_name`;

export function listQuotePage(scope: Scope, sql: Sql, query: ListQuery, baseUrl: string): Promise<RawJson> {
  const isLab = scope.kind === 'lab';
  return listPage(
    sql,
    {
      item: `q.id, q.quote_number, q.organization_id, q.experiment_id, e.code as experiment_code, q.status,
        q.total_cents as amount_cents, q.currency, ${writeWireTime('q.created_at')} as created_at,
        ${writeWireTime('q.valid_until')} as valid_until, $2::text || '/quotes/' || q.id as provider_quote_url${isLab ? LAB_COLUMNS : ''}`,
      from: 'quotes q',
      alias: 'q',
      joins: [
        { alias: 'e', sql: 'join experiments e on e.id = q.experiment_id' },
        ...(isLab ? [{ alias: 'o', sql: 'join organizations o on o.id = q.organization_id' }] : []),
      ],
      where: `${isLab ? '$1::uuid is null' : OWN} and $2::text is not null`,
      values: [getOrganizationId(scope), baseUrl],
    },
    query,
  );
}
