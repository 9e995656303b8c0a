/** Orders whose turn of the lab may take too long. */
import type { ExperimentStatus } from '#core/lifecycle.ts';
import type { LabScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type { Waiting } from '#domain/queue/lateness.ts';
import { INVOICE, WAITING_ACTOR } from '#domain/queue/list-fields.ts';

/** Turns between the arrival of the materials and the release. */
const RUN_STATUSES: readonly ExperimentStatus[] = ['in_queue', 'in_production', 'data_analysis', 'in_review'];

export interface WaitingOrder extends Waiting {
  readonly id: string;
  readonly organization_id: string;
  readonly code: string;
}

/** Selects orders that have been in such a turn since before a time, and of whose turn nobody was told. */
export async function selectWaitingOrders(
  _lab: LabScope,
  sql: Sql,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<WaitingOrder[]> {
  return sql.query<WaitingOrder>(
    `select e.id, e.organization_id, e.code, e.status, e.status_since, ${WAITING_ACTOR} as waiting_actor
     from experiments e ${INVOICE}
     where e.status = any($1) and e.status_since < $2 and not exists (
       select 1 from notice_facts f where f.kind = 'run.late' and f.experiment_code = e.code
         and f.created_at >= e.status_since)
     order by e.status_since limit $3`,
    [RUN_STATUSES, before, limit],
  );
}
