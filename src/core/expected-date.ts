/**
 * When the results of an order are expected: the one rule, in workdays of the lab. Pure. A run takes the turnaround of
 * its assay; before it come the materials, and the line of orders by what the lab can start in a day.
 */
import { addMs, DAY_MS, HOUR_MS } from './clock.ts';
import type { ExperimentStatus } from './lifecycle.ts';

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

/** What staff say of the days on which the lab works. */
export interface LabCalendar {
  /** IANA name, such as `Europe/Zurich`. */
  readonly time_zone: string;
  readonly workdays: readonly string[];
  /** Such as `2026-12-25`. */
  readonly closing_days: readonly string[];
  /** From the acceptance of a quote until the materials are there. */
  readonly materials_workdays: number;
  /** From there until the run starts, while no line is longer. */
  readonly queue_workdays: number;
  readonly run_starts_per_workday: number;
}

/** What the date of an order depends on. */
export interface DatedOrder {
  readonly status: ExperimentStatus;
  /** Since when its step can be taken: it came into the state, and was paid where the run waits for that. */
  readonly ready_since: string;
  /** Null before the first run. */
  readonly run_started_at: string | null;
  /** Workdays from the start of the run to the results; null: none are promised. */
  readonly turnaround_workdays: number | null;
  /** Orders that start before it. */
  readonly ahead: number;
  /** Whether it waits for its client, so that the lab cannot be late. */
  readonly is_clients_turn: boolean;
}

/** The hour at which a workday of the lab ends. */
const CLOSING_HOUR = 17;
const LAST_HOUR_UTC = 23;
/** A date that has passed moves by this many workdays at once, so that nobody is told every day. */
const LATE_STEP_WORKDAYS = 5;
/** Clients are told of a date that moves by more than this. */
const TOLERATED_WORKDAYS = 1;
/** Closing days that a lab can name; beyond them there are workdays, so that each search ends. */
export const CLOSING_DAYS_MAX = 1_000;

const BEFORE_ACCEPTANCE: ReadonlySet<ExperimentStatus> = new Set([
  'draft',
  'waiting_for_confirmation',
  'quote_sent',
]);

/** Whether the date holds only if the quote is accepted now. */
export function isBeforeAcceptance(status: ExperimentStatus): boolean {
  return BEFORE_ACCEPTANCE.has(status);
}

/** Days are counted from 1 January 1970, a Thursday. */
type Day = number;

/** Computes the date of an order; null where nothing is promised, and when it is over. */
export function computeExpectedDate(order: DatedOrder, calendar: LabCalendar, now: Date): Date | null {
  const { turnaround_workdays: turnaround, status } = order;
  if (turnaround === null || status === 'done' || status === 'canceled') return null;
  const workdays = new Workdays(calendar);
  const today = workdays.findDay(now);
  const end = workdays.add(computeStart(order, calendar, workdays, today), turnaround);
  return workdays.findClosing(workdays.postpone(end, today));
}

/** Computes the day on which the run starts or has started. */
function computeStart(order: DatedOrder, calendar: LabCalendar, workdays: Workdays, today: Day): Day {
  const { status, run_started_at: runStartedAt } = order;
  const since = workdays.findDay(new Date(order.ready_since));
  if (status === 'in_production') return since;
  if (status === 'data_analysis' || status === 'in_review')
    return runStartedAt === null ? since : workdays.findDay(new Date(runStartedAt));
  const turn = workdays.add(today, Math.ceil((order.ahead + 1) / calendar.run_starts_per_workday));
  const { materials_workdays: materials, queue_workdays: queue } = calendar;
  if (status === 'in_queue') {
    const from = order.is_clients_turn ? today : since;
    return Math.max(turn, workdays.postpone(workdays.add(from, queue), today));
  }
  const from = status === 'waiting_for_materials' ? since : today;
  return Math.max(turn, workdays.add(workdays.postpone(workdays.add(from, materials), today), queue));
}

export interface DateChange {
  readonly eta: Date | null;
  readonly isLater: boolean;
}

/**
 * Decides whether the date that a client knows gives way to the planned one; undefined where it stays. It stays while
 * the plan differs by a workday at most, so that small shifts tell nobody anything.
 */
export function decideDateChange(
  known: Date | null,
  planned: Date | null,
  calendar: LabCalendar,
  now: Date,
): DateChange | undefined {
  if (known === null || planned === null)
    return known === planned ? undefined : { eta: planned, isLater: false };
  const workdays = new Workdays(calendar);
  const [before, after] = [workdays.findDay(known), workdays.findDay(planned)];
  const isPassed = workdays.findDay(now) > before;
  const moved = Math.abs(workdays.count(before, after));
  if (moved > TOLERATED_WORKDAYS || (isPassed && after > before))
    return { eta: planned, isLater: after > before };
  return undefined;
}

/** Says why a calendar cannot be used; null where it can. */
export function findCalendarProblem({ time_zone: zone, workdays, closing_days: days }: LabCalendar) {
  if (!isTimeZone(zone))
    return { path: 'time_zone', message: 'must be a name of the IANA database, such as Europe/Zurich' };
  if (workdays.length === 0) return { path: 'workdays', message: 'must have at least one day of the week' };
  const wrong = days.find((day) => toDay(day) === undefined);
  if (wrong !== undefined)
    return { path: 'closing_days', message: `${wrong} is no day: write such as 2026-12-25` };
  return null;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function toDay(text: string): Day | undefined {
  const at = Date.parse(`${text}T00:00:00.000Z`);
  return Number.isNaN(at) || formatDay(at / DAY_MS) !== text ? undefined : at / DAY_MS;
}

function formatDay(day: Day): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

const EPOCH_WEEKDAY = 3;
const WEEK_DAYS = 7;

/** The days of one lab. */
class Workdays {
  readonly #open: ReadonlySet<string>;
  readonly #closed: ReadonlySet<Day | undefined>;
  readonly #clock: Intl.DateTimeFormat;

  constructor({ time_zone: timeZone, workdays, closing_days: closingDays }: LabCalendar) {
    this.#open = new Set(workdays);
    this.#closed = new Set(closingDays.map((day) => toDay(day)));
    this.#clock = findClock(timeZone);
  }

  /** The date at the lab. */
  findDay(at: Date): Day {
    return Math.floor(addMs(at, this.#findOffsetMs(at)).getTime() / DAY_MS);
  }

  /** The first workday after so many of them; of 0 the day itself, or the next workday. */
  add(from: Day, workdays: number): Day {
    let day = from;
    for (let left = workdays; left > 0; left--) day = this.#findOpen(day + 1);
    return this.#findOpen(day);
  }

  /** Moves a day that has passed to a later one, a week at a time. */
  postpone(day: Day, today: Day): Day {
    let later = day;
    while (later < today) later = this.add(later, LATE_STEP_WORKDAYS);
    return later;
  }

  /** Workdays from one day to another; below zero where the other is earlier. */
  count(from: Day, until: Day): number {
    if (until < from) return -this.count(until, from);
    let workdays = 0;
    for (let day = from + 1; day <= until; day++) if (this.#isOpen(day)) workdays += 1;
    return workdays;
  }

  /** The end of that workday. Its date in UTC is the date at the lab, so that each reader shows the same day. */
  findClosing(day: Day): Date {
    const noon = new Date((day + 0.5) * DAY_MS);
    const hour = CLOSING_HOUR - this.#findOffsetMs(noon) / HOUR_MS;
    return new Date(day * DAY_MS + Math.min(LAST_HOUR_UTC, Math.max(0, hour)) * HOUR_MS);
  }

  #findOpen(from: Day): Day {
    let day = from;
    while (!this.#isOpen(day)) day += 1;
    return day;
  }

  #isOpen(day: Day): boolean {
    const weekday = weekdays[(((day + EPOCH_WEEKDAY) % WEEK_DAYS) + WEEK_DAYS) % WEEK_DAYS];
    return weekday !== undefined && this.#open.has(weekday) && !this.#closed.has(day);
  }

  #findOffsetMs(at: Date): number {
    const parts = this.#clock.formatToParts(at);
    const get = (type: Intl.DateTimeFormatPartTypes) =>
      Number(parts.find((part) => part.type === type)?.value);
    const local = Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'));
    return local - Math.floor(at.getTime() / 60_000) * 60_000;
  }
}

/** Made once for each zone: a formatter takes forty times as long to make as to use. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function findClock(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  });
  clocks.set(timeZone, clock);
  return clock;
}
