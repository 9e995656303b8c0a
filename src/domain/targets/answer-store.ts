/** The requests of all organizations, as the lab reads and answers them. */
import type { ListQuery } from '#core/filter/index.ts';
import { listPage } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import { organizationOf, type LabScope, type OrganizationScope } from '#core/scope.ts';
import { first, type Sql, type Transaction } from '#core/sql.ts';
import { infoColumns, itemColumns } from './request-store.ts';

const WHOSE = 'r.organization_id, o.name as organization_name, r.experiment_id';
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
  return first(rows)?.item;
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
  return first(await sql.query<TargetRequestRow>(`${ROW} where id = $1`, [id]));
}

/** The same, held until the transaction ends. Its experiment is locked before it. */
export async function lockTargetRequest(
  _lab: LabScope,
  tx: Transaction,
  id: string,
): Promise<TargetRequestRow | undefined> {
  return first(await tx.query<TargetRequestRow>(`${ROW} where id = $1 for update`, [id]));
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
    `update target_requests set status = $3, material_id = $4, lead_time_days = $5, answer = $6,
       answered_by_user_id = $7, answered_at = $8, updated_at = $8
     where organization_id = $1 and id = $2 and status = 'pending_review'`,
    [
      organizationOf(scope),
      id,
      answer.status,
      answer.targetId,
      answer.leadTimeDays,
      answer.answer,
      answer.userId,
      answer.at,
    ],
  );
}
