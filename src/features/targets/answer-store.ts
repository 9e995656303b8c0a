/** Requests of all organizations for targets, for the lab. */
import type { ListQuery } from '#core/filter/index.ts';
import { listPage } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { updateRows } from '#core/write-rows.ts';
import { infoColumns, itemColumns } from './request-store.ts';

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

export interface TargetAnswer {
  readonly status: 'approved' | 'rejected';
  readonly targetId: string | null;
  readonly leadTimeDays: number | null;
  readonly answer: string | null;
  readonly userId: string;
  readonly at: Date;
}

export async function answerTargetRequest(
  scope: OrganizationScope,
  tx: Transaction,
  id: string,
  answer: TargetAnswer,
): Promise<void> {
  await tx.query(
    ...updateRows(
      'target_requests',
      {
        status: answer.status,
        material_id: answer.targetId,
        lead_time_days: answer.leadTimeDays,
        answer: answer.answer,
        answered_by_user_id: answer.userId,
        answered_at: answer.at,
        updated_at: answer.at,
      },
      `where organization_id = $1 and id = $2 and status = 'pending_review'`,
      [scope.organizationId, id],
    ),
  );
}
