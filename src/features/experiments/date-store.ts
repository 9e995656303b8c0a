/** What the expected dates of orders depend on, and the dates as clients know them. */
import type { DatedOrder, LabCalendar } from '#core/expected-date.ts';
import { getOrganizationId, type LabScope, type Scope } from '#core/scope.ts';
import { getExactlyOne, type Sql, type Transaction } from '#core/sql.ts';
import { CALENDAR } from '../pricing/calendar-store.ts';
import { INVOICE, WAITING_ACTOR } from '../queue/list-fields.ts';

/** An order with everything that its date depends on. */
export interface DateRow extends Omit<DatedOrder, 'turnaround_workdays'>, LabCalendar {
  readonly id: string;
  readonly organization_id: string;
  readonly code: string;
  readonly eta: string | null;
  readonly promised_at: string | null;
  /** As it was offered when the order was submitted. */
  readonly turnaround_workdays: number | null;
  /** As it is offered now. */
  readonly offered_workdays: number | null;
}

/** Orders that wait for their run, in the order in which they are expected to start: those with materials first. */
const LINE = `line as (select id, row_number() over (order by (status = 'in_queue') desc, status_since, id) - 1 as place
    from experiments where status in ('waiting_for_materials', 'in_queue'))`;
const ALL_IN_LINE = '(select count(*)::int from line)';

const FACTS = `with ${LINE}
  select e.id, e.organization_id, e.code, e.status, e.eta, e.promised_at, e.turnaround_workdays,
    case when e.status = 'in_queue' then greatest(e.status_since, (select max(i.paid_at) from invoices i
      where i.experiment_id = e.id)) else e.status_since end as ready_since,
    a.turnaround_workdays as offered_workdays, coalesce(line.place::int, ${ALL_IN_LINE}) as ahead,
    coalesce(${WAITING_ACTOR} = 'client', false) as is_clients_turn,
    (select max(r.started_at) from runs r where r.experiment_id = e.id) as run_started_at, ${CALENDAR}
  from experiments e cross join lab_calendar c left join assay_types a on a.experiment_type = e.experiment_type
    left join line on line.id = e.id ${INVOICE}`;

export async function getDateRow(scope: Scope, sql: Sql, experimentId: string): Promise<DateRow> {
  return getExactlyOne(
    await sql.query<DateRow>(`${FACTS} where ($1::uuid is null or e.organization_id = $1) and e.id = $2`, [
      getOrganizationId(scope),
      experimentId,
    ]),
  );
}

/** Selects the submitted orders that are not over, the earliest date first. */
export function selectDateRows(_lab: LabScope, sql: Sql, limit: number): Promise<DateRow[]> {
  return sql.query<DateRow>(
    `${FACTS} where e.status not in ('draft', 'done', 'canceled') order by e.eta nulls first, e.id limit $1`,
    [limit],
  );
}

/** What the date of an order depends on that is not there yet. */
export interface OfferedDates extends LabCalendar {
  readonly turnaround_workdays: number | null;
  readonly ahead: number;
}

export async function getOfferedDates(
  _lab: LabScope,
  sql: Sql,
  experimentType: string,
): Promise<OfferedDates> {
  return getExactlyOne(
    await sql.query<OfferedDates>(
      `with ${LINE} select (select a.turnaround_workdays from assay_types a where a.experiment_type = $1) as turnaround_workdays,
         ${ALL_IN_LINE} as ahead, ${CALENDAR} from lab_calendar c`,
      [experimentType],
    ),
  );
}

export interface KnownDates {
  readonly turnaround_workdays: number | null;
  readonly eta: Date | null;
  /** Null while the order is not accepted. */
  readonly promised_at: Date | null;
}

/** Writes the dates of an order. The caller holds its row. */
export async function setDates(
  scope: Scope,
  tx: Transaction,
  experimentId: string,
  dates: KnownDates,
): Promise<void> {
  await tx.query(
    `update experiments set turnaround_workdays = $3, eta = $4, promised_at = $5
     where ($1::uuid is null or organization_id = $1) and id = $2`,
    [getOrganizationId(scope), experimentId, dates.turnaround_workdays, dates.eta, dates.promised_at],
  );
}
