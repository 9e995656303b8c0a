/** Statements of the live feed. */
import { compileList, type ListQuery } from '#core/filter/index.ts';
import type { LiveEvent } from '#core/live-stream.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type { Round } from './rounds.ts';
import { STAFF_UPDATE_ITEM, UPDATE_ITEM } from './store.ts';

/** Selects the organizations that got updates after one id up to another. */
export async function selectChangedOrganizations(
  _lab: LabScope,
  sql: Sql,
  { after, upTo }: Round,
): Promise<string[]> {
  const rows = await sql.query<{ organization_id: string }>(
    `select distinct organization_id from updates where id > $1 and id <= $2 and sequence is not null`,
    [after, upTo],
  );
  return rows.map((row) => row.organization_id);
}

/** Selects the first updates of a round that match the query, oldest first, as JSON. */
export async function selectStreamedUpdates(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
  {
    after,
    upTo,
    limit,
    experimentId,
  }: Round & { readonly limit: number; readonly experimentId: string | null },
): Promise<LiveEvent[]> {
  const values = [scope.organizationId, after, upTo, experimentId, limit];
  const list = compileList(query, { firstParameter: values.length + 1 });
  return sql.query<LiveEvent>(
    `select u.id, (select row_to_json(item)::text from (select ${UPDATE_ITEM}) item) as text from updates u
     where u.organization_id = $1 and u.id > $2 and u.id <= $3 and u.sequence is not null
       and ($4::uuid is null or u.experiment_id = $4) and ${list.where}
     order by u.id limit $5`,
    [...values, ...list.whereValues],
  );
}

/** Selects the first updates of a round over every organization, oldest first, as JSON, for staff. */
export async function selectAllStreamedUpdates(
  _lab: LabScope,
  sql: Sql,
  query: ListQuery,
  { after, upTo, limit }: Round & { readonly limit: number },
): Promise<LiveEvent[]> {
  const values = [after, upTo, limit];
  const list = compileList(query, { firstParameter: values.length + 1 });
  return sql.query<LiveEvent>(
    `select u.id, (select row_to_json(item)::text from (select ${STAFF_UPDATE_ITEM}) item) as text from updates u
     join organizations o on o.id = u.organization_id
     where u.id > $1 and u.id <= $2 and u.sequence is not null and ${list.where} order by u.id limit $3`,
    [...values, ...list.whereValues],
  );
}
