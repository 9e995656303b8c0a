/** What staff see of the jobs of every organization; payloads stay inside, because some hold a secret. */
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { LabScope } from '#core/scope.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { JOB_STATUS } from './list-fields.ts';
import type { JobStatus } from './rules.ts';

const ITEM = `j.id::text as id, j.kind, ${JOB_STATUS} as status, j.organization_id, o.name as organization_name,
  e.code as experiment_code, j.attempts, j.last_error, ${writeWireTime('j.created_at')} as created_at,
  ${writeWireTime('j.next_at')} as next_at, ${writeWireTime('j.failed_at')} as failed_at`;
const ORGANIZATION = 'left join organizations o on o.id = j.organization_id';
const EXPERIMENT = `left join experiments e on e.id::text = j.payload ->> 'experiment_id'`;

export function listJobsPage(_lab: LabScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: ITEM,
      from: 'jobs j',
      alias: 'j',
      joins: [
        { alias: 'o', sql: ORGANIZATION },
        { alias: 'e', sql: EXPERIMENT },
      ],
      where: 'j.done_at is null',
      values: [],
    },
    query,
  );
}

export interface JobRow {
  readonly id: string;
  readonly kind: string;
  readonly status: JobStatus;
  readonly organization_id: string | null;
  readonly organization_name: string | null;
  readonly experiment_code: string | null;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly next_at: string;
  readonly failed_at: string | null;
}

/** Finds an unfinished job; a worker that wants it waits until the transaction ends. */
export async function lockJob(_lab: LabScope, tx: Transaction, id: string): Promise<JobRow | undefined> {
  return getFirst(
    await tx.query<JobRow>(
      `select ${ITEM} from jobs j ${ORGANIZATION} ${EXPERIMENT} where j.id = $1::bigint and j.done_at is null
       for update of j`,
      [id],
    ),
  );
}

/** Makes a given-up job due again. Answers false where a newer job has its key, which does the same work. */
export async function resumeJob(tx: Transaction, id: string, at: Date): Promise<boolean> {
  const rows = await tx.query<{ id: number }>(
    `update jobs j set failed_at = null, attempts = 0, deaths = 0, next_at = $2, lease_until = null
     where j.id = $1::bigint and not exists (select 1 from jobs n where n.unique_key = j.unique_key
       and n.id <> j.id and n.done_at is null and n.failed_at is null)
     returning j.id`,
    [id, at],
  );
  return rows.length > 0;
}
