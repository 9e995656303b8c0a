/** The organizations of clients, as staff list them. */
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { LabScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

/** `$1` is the installation, which has a row of its own and orders nothing. */
export function listOrganizationsPage(
  _lab: LabScope,
  sql: Sql,
  query: ListQuery,
  installationId: string,
): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `o.id, o.name, o.slug, b.legal_name, b.country,
        (select count(*) from memberships m where m.organization_id = o.id) as member_count,
        (select count(*) from experiments e where e.organization_id = o.id) as experiment_count,
        (select coalesce(sum(i.total_cents), 0)::bigint from invoices i
          where i.organization_id = o.id and i.status = 'open') as owed_cents,
        ${writeWireTime('o.created_at')} as created_at`,
      from: 'organizations o',
      alias: 'o',
      joins: [{ alias: 'b', sql: 'left join billing_profiles b on b.organization_id = o.id' }],
      where: 'o.id <> $1::uuid',
      values: [installationId],
    },
    query,
  );
}
