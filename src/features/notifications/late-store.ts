/** Orders whose turn of the lab may take too long. */
import type { ExperimentStatus } from '#core/lifecycle.ts';
import type { LabScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type { Waiting } from '#core/lateness.ts';
import { INVOICE, WAITING_ACTOR } from '../queue/list-fields.ts';

export interface WaitingOrder extends Waiting {
  readonly id: string;
  readonly organization_id: string;
  readonly code: string;
}

/** A status, and before when an order must have come into it so that the lab may be late. */
export interface LateLimit {
  readonly status: ExperimentStatus;
  readonly before: Date;
}

/** Selects orders that wait for the lab and are beyond these limits, and of whose turn nobody was told. */
export async function selectWaitingOrders(
  _lab: LabScope,
  sql: Sql,
  { limits, count }: { readonly limits: readonly LateLimit[]; readonly count: number },
): Promise<WaitingOrder[]> {
  return sql.query<WaitingOrder>(
    `select e.id, e.organization_id, e.code, e.status, e.status_since, ${WAITING_ACTOR} as waiting_actor
     from unnest($1::text[], $2::timestamptz[]) as late (status, before)
     join experiments e on e.status = late.status and e.status_since < late.before ${INVOICE}
     where ${WAITING_ACTOR} = 'lab' and not exists (
       select 1 from notice_facts f where f.kind = 'run.late' and f.experiment_code = e.code
         and f.created_at >= e.status_since)
     order by e.status_since limit $3`,
    [limits.map(({ status }) => status), limits.map(({ before }) => before), count],
  );
}
