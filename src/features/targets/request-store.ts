import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import type { OrganizationScope, LabScope } from '#core/scope.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { updateRows } from '#core/write-rows.ts';

const itemColumns = `r.id, r.name, r.product_id, r.status, r.experiment_id, r.material_id, r.lead_time_days, r.answer,
  ${writeWireTime('r.answered_at')} as answered_at, ${writeWireTime('r.created_at')} as created_at`;

const infoColumns = `${itemColumns}, r.request ->> 'vendor' as vendor, r.request ->> 'product_url' as product_url,
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

/** Requests of all organizations for targets, for the lab. */

const WHOSE = 'r.organization_id, o.name as organization_name';
const OWNER = 'join organizations o on o.id = r.organization_id';

export function listLabTargetRequestPage(_lab: LabScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `${itemColumns}, ${WHOSE}`,
      from: 'target_requests r',
      alias: 'r',
      joins: [{ alias: 'o', sql: OWNER }],
      where: 'true',
      values: [],
    },
    query,
  );
}

export async function findLabTargetRequestJson(
  _lab: LabScope,
  sql: Sql,
  id: string,
): Promise<string | undefined> {
  const rows = await sql.query<{ item: string }>(
    `select (select row_to_json(item)::text from (select ${infoColumns}, ${WHOSE}) item) as item
     from target_requests r ${OWNER} where r.id = $1`,
    [id],
  );
  return getFirst(rows)?.item;
}

export interface TargetRequestRow {
  readonly id: string;
  readonly organization_id: string;
  readonly experiment_id: string | null;
  readonly name: string;
  readonly product_id: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly status: 'pending_review' | 'approved' | 'rejected';
}

const ROW = `select id, organization_id, experiment_id, name, product_id, request, status from target_requests`;

export async function findTargetRequest(
  _lab: LabScope,
  sql: Sql,
  id: string,
): Promise<TargetRequestRow | undefined> {
  return getFirst(await sql.query<TargetRequestRow>(`${ROW} where id = $1`, [id]));
}

/** Reads a request and locks it until the transaction ends. Its experiment must be locked before it. */
export async function lockTargetRequest(
  _lab: LabScope,
  tx: Transaction,
  id: string,
): Promise<TargetRequestRow | undefined> {
  return getFirst(await tx.query<TargetRequestRow>(`${ROW} where id = $1 for update`, [id]));
}

interface TargetAnswer {
  readonly status: 'approved' | 'rejected';
  readonly target_id: string | null;
  readonly lead_time_days: number | null;
  readonly answer: string | null;
  readonly user_id: string;
  readonly at: Date;
}

export async function answerTargetRequest(
  scope: OrganizationScope,
  tx: Transaction,
  id: string,
  { target_id: targetId, user_id: userId, at, ...answer }: TargetAnswer,
): Promise<void> {
  await tx.query(
    ...updateRows(
      'target_requests',
      {
        ...answer,
        material_id: targetId,
        answered_by_user_id: userId,
        answered_at: at,
        updated_at: at,
      },
      `where organization_id = $1 and id = $2 and status = 'pending_review'`,
      [scope.organizationId, id],
    ),
  );
}
