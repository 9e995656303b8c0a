/** The chore that finds orders whose results come later than their clients were told, and tells them. */
import { addMs, MINUTE_MS } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { recordChange } from '../audit/record-change.ts';
import { getCalendar } from '../pricing/calendar-store.ts';
import { selectDateRows, type DateRow } from './date-store.ts';
import { isDateOutdated, refreshExpectedDate } from './expected-dates.ts';
import { findExperiment, lockExperiment } from './store.ts';
import { addDelay } from './transition-experiment.ts';

/** A change of the calendar is seen at once; what time alone does is seen within these minutes. */
const CHECK_EVERY_MS = 10 * MINUTE_MS;
/** Orders that are compared at once. */
const ORDERS_MAX = 20_000;

export function createDateRefresh(work: Work, database: Database): () => Promise<void> {
  let last: { readonly at: Date; readonly calendar: string } | undefined;
  return async () => {
    const now = work.clock.now();
    const calendar = JSON.stringify(await getCalendar(database.read));
    if (last?.calendar === calendar && now < addMs(last.at, CHECK_EVERY_MS)) return;
    last = { at: now, calendar };
    await refreshExpectedDates(work, database);
  };
}

async function refreshExpectedDates(work: Work, database: Database): Promise<void> {
  const now = work.clock.now();
  const rows = await selectDateRows(labScope, database.read, ORDERS_MAX);
  for (const row of rows)
    if (isDateOutdated(row, now)) await database.runTransaction((tx) => refreshOrder(work, tx, row));
}

/** The order may have moved meanwhile, so its date is computed again. */
async function refreshOrder(work: Work, tx: Transaction, row: DateRow): Promise<void> {
  const scope = createOrganizationScope(row.organization_id);
  const experiment = await lockExperiment(scope, tx, row.id);
  if (experiment === undefined) return;
  const delay = await refreshExpectedDate(work, tx, scope, row.id);
  if (delay !== undefined) await addDelay(work, tx, experiment, delay);
  await recordChange(work, tx, scope, {
    actorKind: 'worker',
    actor: 'worker',
    operation: 'refresh_date',
    subject: row.id,
    details: { before: experiment.eta, after: (await findExperiment(scope, tx, row.id))?.eta ?? null },
  });
}
