import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';

export const itemColumns = `r.id, r.name, r.product_id, r.status, r.experiment_id, r.material_id, r.lead_time_days, r.answer,
  ${writeWireTime('r.answered_at')} as answered_at, ${writeWireTime('r.created_at')} as created_at`;

export const infoColumns = `${itemColumns}, r.request ->> 'vendor' as vendor, r.request ->> 'product_url' as product_url,
  r.request ->> 'sequence' as sequence, r.request ->> 'pdb_id' as pdb_id, r.request ->> 'pdb_file' as pdb_file,
  r.request -> 'molecular_weight' as molecular_weight, r.request ->> 'note' as note,
  ${writeWireTime('r.updated_at')} as updated_at`;

export function listTargetRequestPage(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: itemColumns,
      from: 'target_requests r',
      alias: 'r',
      where: 'r.organization_id = $1',
      values: [scope.organizationId],
    },
    query,
  );
}

/** The experiment that a target was requested with; undefined where it was requested by itself. */
export async function findExperimentOfTargetRequest(
  scope: OrganizationScope,
  sql: Sql,
  id: string,
): Promise<string | undefined> {
  const rows = await sql.query<{ experiment_id: string | null }>(
    `select experiment_id from target_requests where organization_id = $1 and id = $2`,
    [scope.organizationId, id],
  );
  return getFirst(rows)?.experiment_id ?? undefined;
}

export async function findTargetRequestJson(
  scope: OrganizationScope,
  sql: Sql,
  id: string,
): Promise<string | undefined> {
  const rows = await sql.query<{ item: string }>(
    `select (select row_to_json(item)::text from (select ${infoColumns}) item) as item
     from target_requests r where r.organization_id = $1 and r.id = $2`,
    [scope.organizationId, id],
  );
  return getFirst(rows)?.item;
}
