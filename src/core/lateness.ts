/** How long an order has waited, and whether the lab is late with it. */
import { addMs, DAY_MS } from './clock.ts';
import type { Actor, ExperimentStatus } from './lifecycle.ts';

/**
 * Workdays after which staff should look at a turn of the lab. Usual values of ours, which the guide names; no promise:
 * what clients are promised is the turnaround of an assay type.
 */
const USUAL_WORKDAYS: Readonly<Partial<Record<ExperimentStatus, number>>> = {
  waiting_for_confirmation: 2,
  waiting_for_materials: 15,
  in_queue: 5,
  in_production: 5,
  data_analysis: 1,
  in_review: 2,
};

export interface Waiting {
  readonly status: ExperimentStatus;
  readonly waiting_actor: Actor | null;
  readonly status_since: string;
}

export interface Wait {
  /** Whole workdays since the status began. */
  readonly workdays: number;
  /** Workdays beyond what the lab usually needs; 0 in time, and when it is not the turn of the lab. */
  readonly lateWorkdays: number;
}

export function computeWait({ status, waiting_actor: actor, status_since: since }: Waiting, now: Date): Wait {
  const workdays = countWorkdays(new Date(since), now);
  const limit = actor === 'lab' ? USUAL_WORKDAYS[status] : undefined;
  return { workdays, lateWorkdays: limit === undefined ? 0 : Math.max(0, workdays - limit) };
}

/** The lab is late with no order that came into this status at this time or later; null where it is never late. */
export function computeLateLimit(status: ExperimentStatus, now: Date): Date | null {
  const limit = USUAL_WORKDAYS[status];
  if (limit === undefined) return null;
  let at = now;
  while (countWorkdays(at, now) <= limit) at = addMs(at, -DAY_MS);
  // The order may have come at any time of that day.
  return addMs(at, DAY_MS);
}

/** Counts whole workdays between two instants, Saturday and Sunday (UTC) left out; 0 when `until` is earlier. */
export function countWorkdays(from: Date, until: Date): number {
  const elapsedMs = computeWorkMs(until.getTime()) - computeWorkMs(from.getTime());
  return Math.max(0, Math.floor(elapsedMs / DAY_MS));
}

const EPOCH_WEEKDAY = 3;
const WEEK_DAYS = 7;
const WORK_DAYS = 5;

/** Milliseconds of workdays since a Monday; 1 January 1970 was a Thursday. */
function computeWorkMs(atMs: number): number {
  const day = Math.floor(atMs / DAY_MS) + EPOCH_WEEKDAY;
  const weekday = day % WEEK_DAYS;
  const ofDay = weekday < WORK_DAYS ? atMs % DAY_MS : 0;
  return Math.floor(day / WEEK_DAYS) * WORK_DAYS * DAY_MS + Math.min(weekday, WORK_DAYS) * DAY_MS + ofDay;
}
