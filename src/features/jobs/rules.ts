/**
 * This folder: the queue of what has to happen later. Not here: what a job does (`workflows/`).
 */

/** Number of attempts after which a failed job is given up. */
const JOB_ATTEMPTS_MAX = 8;
/** A job that so many processes held for long when they died is put aside: it may be what kills them. */
export const JOB_DEATHS_MAX = 2;
/** A worker renews the lease while it works. When a worker dies, its jobs become free after this time. */
export const JOB_LEASE_MS = 15_000;
/** A job that is in hand when leases are renewed counts as long. */
export const LEASE_RENEWAL_MS = 3_000;
/** Jobs one worker runs at the same time. */
export const JOBS_IN_HAND_MAX = 16;

const FIRST_DELAY_MS = 1_000;
const DELAY_MS_MAX = 5 * 60_000;

/** A job that failed for a reason that stays: another attempt would fail in the same way. */
export class FinalJobError extends Error {
  override readonly name: string = 'FinalJobError';
}

/** What the worker does differently with the jobs of one kind. */
export interface JobPolicy {
  /** Delays between attempts; after the last of them the job is given up. The usual ones unless stated. */
  readonly delaysMs?: readonly number[];
  /** At most so many of its jobs run at the same time in one worker, so that they leave places to others. */
  readonly inHandMax: number;
  /** One of an organization at a time in one worker, so that the places are not all of one client. */
  readonly isOnePerOrganization?: boolean;
}

/** Exponential: 1 s, 2 s, 4 s … at most 5 min. `attempts` includes the one that failed. */
export function retryDelayMs(attempts: number, policy?: JobPolicy): number {
  const own = policy?.delaysMs?.[attempts - 1];
  if (own !== undefined) return own;
  return Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** Math.max(0, attempts - 1));
}

export function isExhausted(attempts: number, policy?: JobPolicy): boolean {
  return policy?.delaysMs === undefined ? attempts >= JOB_ATTEMPTS_MAX : attempts > policy.delaysMs.length;
}

/** What staff see of a job that is not done. */
export const jobStatuses = ['waiting', 'running', 'failed'] as const;
export type JobStatus = (typeof jobStatuses)[number];

/** The kinds of jobs whose module is loaded with the first of them: who enqueues one need not load what carries it out. */
export const ANALYZE = 'analyze_experiment';
export const MAKE_PACKAGE = 'make_data_package';
export const MAKE_SMALL_PACKAGE = 'make_small_data_package';
export const ANNOUNCE_STOP = 'announce_stop';
export const NOTIFY_PAYMENT = 'notify_payment';
export const REANALYZE = 'reanalyze_experiment';
export const SEND_QUOTE = 'send_quote';
export const SEND_REFUND = 'send_refund';
