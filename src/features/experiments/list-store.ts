import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { FROM_SHOWN_QUOTE } from '../quotes/shown-quote.ts';

/** Every column of a list item, so that one statement reads a page. `$2` is the public address of the service. */
const ITEM = `e.id, e.code, e.name, e.status, e.results_status, e.experiment_type,
  $2::text || '/experiments/' || e.id as experiment_url, e.target_id, t.name as target_name, e.sequence_count,
  ${writeWireTime('e.created_at')} as created_at,
  inv.status as invoice_status, $2::text || '/pay/' || inv.hosted_key as provider_invoice_url,
  (select $2::text || '/quotes/' || q.id ${FROM_SHOWN_QUOTE}) as provider_quote_url`;

/** The current invoice of an experiment: a void invoice that was issued again does not count. */
const PRESENT_INVOICE = `left join lateral (
    select i.status, i.hosted_key from invoices i where i.experiment_id = e.id
      and not exists (select 1 from invoices n where n.replaces_id = i.id)
    order by i.created_at desc limit 1) inv on true`;

export function listExperimentPage(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
  baseUrl: string,
): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: ITEM,
      from: 'experiments e',
      alias: 'e',
      joins: [
        { alias: 't', sql: 'left join targets t on t.id = e.target_id' },
        { alias: 'inv', sql: PRESENT_INVOICE },
      ],
      where: `e.organization_id = $1 and $2::text is not null`,
      values: [scope.organizationId, baseUrl],
      keptTotal: 'select sum(live_count) from experiment_counters where organization_id = $1',
    },
    query,
  );
}
