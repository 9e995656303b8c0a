/** The calendar of the lab is one row, the same for all organizations, so no function takes a scope. */
import type { LabCalendar } from '#core/expected-date.ts';
import { getExactlyOne, type Sql, type Transaction } from '#core/sql.ts';

/** Of the calendar `c`. */
export const CALENDAR = `c.time_zone, c.workdays, c.closing_days, c.materials_workdays, c.queue_workdays,
  c.run_starts_per_workday`;

export type CalendarRow = LabCalendar & { readonly updated_at: string };

const BY_KEY = `select ${CALENDAR}, c.updated_at from lab_calendar c`;

export async function getCalendar(sql: Sql): Promise<CalendarRow> {
  return getExactlyOne(await sql.query<CalendarRow>(BY_KEY));
}

/** Reads the calendar and locks it until the transaction ends. */
export async function lockCalendar(tx: Transaction): Promise<CalendarRow> {
  return getExactlyOne(await tx.query<CalendarRow>(`${BY_KEY} for update`));
}

export async function rewriteCalendar(tx: Transaction, calendar: LabCalendar, at: Date): Promise<void> {
  await tx.query(
    `update lab_calendar set time_zone = $1, workdays = $2, closing_days = $3, materials_workdays = $4,
       queue_workdays = $5, run_starts_per_workday = $6, updated_at = $7`,
    [
      calendar.time_zone,
      calendar.workdays,
      calendar.closing_days,
      calendar.materials_workdays,
      calendar.queue_workdays,
      calendar.run_starts_per_workday,
      at,
    ],
  );
}
