/** What was changed a moment ago. */
import type { LabScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

export interface RecentChange {
  readonly id: string;
  readonly operation_id: string;
  /** ISO 8601. */
  readonly created_at: string;
  /** What the operation was asked about, as its address or its answer names it. */
  readonly subject: string | null;
  /** Ids of the experiments that it touched. */
  readonly experiments: readonly string[];
}

/** An experiment itself, or those of a run, a quote, an invoice or a refund. */
const EXPERIMENTS = `array(
  select e.id::text from experiments e where e.id = s.uuid
  union select e.id::text from experiments e where e.code = upper(a.subject)
  union select r.experiment_id::text from lab_run_experiments r where r.lab_run_id = s.uuid
  union select r.experiment_id::text from lab_runs n join lab_run_experiments r on r.lab_run_id = n.id
    where n.number = s.run_number
  union select q.experiment_id::text from quotes q where q.id = a.subject
  union select i.experiment_id::text from invoices i where i.id = s.uuid
  union select i.experiment_id::text from refunds f join invoices i on i.id = f.invoice_id where f.id = s.uuid)`;

/** Selects the newest entries of some operations since a time, oldest first. */
export async function selectRecentChanges(
  _lab: LabScope,
  sql: Sql,
  { operations, since, limit }: { operations: readonly string[]; since: Date; limit: number },
): Promise<RecentChange[]> {
  const rows = await sql.query<RecentChange>(
    `select a.id, a.operation_id, a.created_at, a.subject, ${EXPERIMENTS} as experiments
     from (
       select id, operation_id, created_at, subject from audit_log
       where created_at >= $1 and operation_id = any($2) order by created_at desc, id desc limit $3
     ) a cross join lateral (select case
       when a.subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then a.subject::uuid end as uuid,
         case when a.subject ~ '^RUN-[0-9]{1,9}$' then substring(a.subject from 5)::int end as run_number) s
     order by a.created_at desc, a.id desc`,
    [since, operations, limit],
  );
  return rows.toReversed();
}
