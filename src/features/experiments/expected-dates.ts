/** Keeps the expected date of an order beside its state, and finds those that have moved. */
import type { Work } from '#core/context.ts';
import {
  computeExpectedDate,
  decideDateChange,
  isBeforeAcceptance,
  type DateChange,
} from '#core/expected-date.ts';
import { labScope, type Scope } from '#core/scope.ts';
import type { Sql, Transaction } from '#core/sql.ts';
import { getDateRow, getOfferedDates, setDates, type DateRow } from './date-store.ts';

/** A date that a client knew and that comes later now. */
export interface Delay {
  readonly previous: Date | null;
  readonly eta: Date;
}

/** Writes the date of an order that has moved to another state, or whose plan has changed; the caller holds its row. */
export async function refreshExpectedDate(
  { clock }: Pick<Work, 'clock'>,
  tx: Transaction,
  scope: Scope,
  experimentId: string,
): Promise<Delay | undefined> {
  const row = await getDateRow(scope, tx, experimentId);
  const now = clock.now();
  const turnaround = chooseTurnaround(row);
  const change = findDateChange(row, turnaround, now);
  const eta = change === undefined ? toDate(row.eta) : change.eta;
  const promised = choosePromise(row, eta);
  const isSame = change === undefined && turnaround === row.turnaround_workdays;
  if (!isSame || promised?.getTime() !== toDate(row.promised_at)?.getTime())
    await setDates(scope, tx, experimentId, {
      turnaround_workdays: turnaround,
      eta,
      promised_at: promised,
    });
  if (change?.isLater !== true || change.eta === null) return undefined;
  return row.promised_at !== null && !row.is_clients_turn
    ? { previous: toDate(row.eta), eta: change.eta }
    : undefined;
}

/** Whether the date that the client knows has to give way. */
export function isDateOutdated(row: DateRow, now: Date): boolean {
  return findDateChange(row, chooseTurnaround(row), now) !== undefined;
}

function findDateChange(row: DateRow, turnaround: number | null, now: Date): DateChange | undefined {
  const planned =
    row.status === 'draft'
      ? null
      : computeExpectedDate({ ...row, turnaround_workdays: turnaround }, row, now);
  return decideDateChange(toDate(row.eta), planned, row, now);
}

/** What is offered counts until the order is submitted; then a change of the offer does not touch it. */
function chooseTurnaround(row: DateRow): number | null {
  if (row.status === 'draft') return null;
  return row.eta === null && isBeforeAcceptance(row.status) ? row.offered_workdays : row.turnaround_workdays;
}

/** The first date of an accepted order; while the order waits for its client, it moves with the date. */
function choosePromise(row: DateRow, eta: Date | null): Date | null {
  if (eta === null || isBeforeAcceptance(row.status)) return null;
  return row.is_clients_turn || row.promised_at === null ? eta : toDate(row.promised_at);
}

function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/** Returns the date of an order that is accepted now, ISO 8601; null where none is promised. */
export async function findOfferedDate(sql: Sql, experimentType: string, now: Date): Promise<string | null> {
  const offered = await getOfferedDates(labScope, sql, experimentType);
  const order = { status: 'draft', ready_since: now.toISOString(), run_started_at: null } as const;
  const date = computeExpectedDate({ ...offered, ...order, is_clients_turn: true }, offered, now);
  return date?.toISOString() ?? null;
}
