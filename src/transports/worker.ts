/** The worker: claims, runs and completes due jobs, in batches. */
import { getErrorMessage } from '#core/records.ts';
import type { Logger } from 'pino';
import { addMs, type Clock } from '#core/clock.ts';
import { DatabaseUnavailableError, type Database, type Transaction } from '#core/sql.ts';
import {
  FinalJobError,
  isExhausted,
  JOB_DEATHS_MAX,
  JOB_LEASE_MS,
  LEASE_RENEWAL_MS,
  retryDelayMs,
  type JobPolicy,
  JOBS_IN_HAND_MAX,
} from '#features/jobs/rules.ts';
import {
  abandonJob,
  claimJobs,
  completeJob,
  extendLeases,
  markJobsStopping,
  giveBackJobs,
  selectNextDueAt,
  postponeJob,
  type Job,
  type Claim,
  type KindOfOrganization,
} from '#features/jobs/store.ts';
import { createInterruptiblePause } from './interruptible-pause.ts';

export type JobHandler = (payload: Readonly<Record<string, unknown>>) => Promise<void>;

type GivenUp = (tx: Transaction, payload: Readonly<Record<string, unknown>>) => Promise<void>;

interface WorkerParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly handlers: Readonly<Record<string, JobHandler>>;
  /** By kind of job: an additional change in the transaction that gives the job up. */
  readonly givenUp?: Readonly<Record<string, GivenUp>>;
  /** By kind of job: its own schedule, and places beside those of all others. */
  readonly policies?: Readonly<Record<string, JobPolicy>>;
  /** Periodic chores, run between batches. */
  readonly chores?: readonly (() => Promise<void>)[];
}

export interface Worker {
  /** The kinds of jobs that it can run. */
  readonly kinds: readonly string[];
  /** Runs every job that is due now and returns their number. */
  runDue(): Promise<number>;
  /** Runs the periodic chores now. */
  runChores(): Promise<void>;
  start(): void;
  /** Looks for due jobs now; a worker that was not started does so once. */
  wake(): void;
  /** Waits for the running jobs. */
  stop(): Promise<void>;
}

const POLL_MS_MAX = 250;
const POLL_MS_MIN = 5;
const CHORE_EVERY_MS = 10_000;
const PAUSE_AFTER_ERROR_MS = 1_000;

export function createWorker(parts: WorkerParts): Worker {
  const { database, clock, log } = parts;
  let running: Promise<void> | undefined;
  let stopped = false;
  const { pause, wake } = createInterruptiblePause();
  const inHand = createJobsInHand(parts.policies ?? {}, wake);
  const writes = createWriteNotes(log);
  const upkeep = createUpkeep(parts, inHand.running);

  async function claimDue(): Promise<number> {
    const claim = { now: clock.now(), leaseMs: JOB_LEASE_MS, ...inHand.findFree() };
    const jobs = await claimJobs(database.read, claim);
    for (const job of jobs) inHand.add(job, runJob(parts, job, upkeep.unrecorded));
    return jobs.length;
  }

  async function round(): Promise<number> {
    await upkeep.keepUp();
    return (await claimDue()) > 0 ? 0 : computeWaitMs(parts, inHand);
  }

  async function runLoop(): Promise<void> {
    while (isRunning()) {
      const pauseMs = await round().then(
        (waitMs) => {
          writes.noteAccepted();
          return waitMs;
        },
        (error: unknown) => {
          if (!(error instanceof DatabaseUnavailableError))
            log.error({ err: error }, 'the worker failed a round');
          else writes.noteRefused(error);
          return PAUSE_AFTER_ERROR_MS;
        },
      );
      if (pauseMs > 0 && isRunning()) await pause(pauseMs);
    }
    await Promise.all(inHand.running.values());
    await upkeep.waitUntilSettled();
  }

  function isRunning(): boolean {
    return !stopped;
  }

  return {
    kinds: Object.keys(parts.handlers),
    async runDue() {
      const count = await claimDue();
      await Promise.all(inHand.running.values());
      return count;
    },
    runChores: () => runInTurn(parts.chores ?? []),
    start() {
      running ??= runLoop();
    },
    wake() {
      if (running !== undefined || stopped) wake();
      else claimDue().catch((error: unknown) => log.warn({ err: error }, 'due jobs could not be claimed'));
    },
    async stop() {
      stopped = true;
      wake();
      await upkeep.announceStop();
      await running;
      await Promise.all(inHand.running.values());
    },
  };
}

/** Until the next job is due; where jobs that are due have no place, until another look. */
async function computeWaitMs({ database, clock }: WorkerParts, inHand: JobsInHand): Promise<number> {
  if (inHand.isFull()) return POLL_MS_MAX;
  const due = await selectNextDueAt(database.read);
  if (due === undefined) return POLL_MS_MAX;
  return Math.min(POLL_MS_MAX, Math.max(POLL_MS_MIN, Date.parse(due) - clock.now().getTime()));
}

/** Tells the operator once when the database stops to take writes, and once when it takes them again. */
function createWriteNotes(log: WorkerParts['log']) {
  let refused: string | null = null;
  return {
    noteRefused({ noWrites }: DatabaseUnavailableError): void {
      if (noWrites === null || noWrites === refused) return;
      refused = noWrites;
      log.error(
        `The database takes no writes: ${noWrites}. Reads go on; the service writes again by itself as soon as it can.`,
      );
    },
    noteAccepted(): void {
      if (refused !== null) log.warn('The database takes writes again.');
      refused = null;
    },
  };
}

interface Upkeep {
  /** Jobs whose end could not be recorded. */
  readonly unrecorded: Set<number>;
  keepUp(): Promise<void>;
  announceStop(): Promise<void>;
  /** Waits for the running chores. */
  waitUntilSettled(): Promise<void>;
}

/** Periodic work besides jobs: renewing leases of running jobs, and chores. */
function createUpkeep(parts: WorkerParts, inHand: ReadonlyMap<number, unknown>): Upkeep {
  const { database, clock } = parts;
  const unrecorded = new Set<number>();
  let choresInHand: Promise<void> | undefined;
  let lastChoresMs = Number.NEGATIVE_INFINITY;
  let lastLeasesMs = clock.readMonotonicMs();

  async function keepLeases(): Promise<void> {
    const nowMs = clock.readMonotonicMs();
    // The time counts from the last moment without a job, so that no renewal follows a claim at once.
    if (inHand.size > 0 && nowMs - lastLeasesMs < LEASE_RENEWAL_MS) return;
    lastLeasesMs = nowMs;
    if (inHand.size > 0)
      await extendLeases(database.read, [...inHand.keys()], addMs(clock.now(), JOB_LEASE_MS));
  }

  async function giveBackUnrecorded(): Promise<void> {
    if (unrecorded.size === 0) return;
    const ids = [...unrecorded];
    await giveBackJobs(database.read, ids, { leaseMax: addMs(clock.now(), JOB_LEASE_MS) });
    for (const id of ids) unrecorded.delete(id);
  }

  // Some chores wait for the outside, which may take long; jobs and their leases do not wait for them.
  function beginChores(): void {
    if (choresInHand !== undefined || clock.readMonotonicMs() - lastChoresMs < CHORE_EVERY_MS) return;
    lastChoresMs = clock.readMonotonicMs();
    choresInHand = runChores(parts).finally(() => (choresInHand = undefined));
  }

  return {
    unrecorded,
    async keepUp() {
      await keepLeases();
      await giveBackUnrecorded();
      beginChores();
    },
    async announceStop() {
      // Without a database a kill during the stop counts as any other.
      if (inHand.size > 0) await markJobsStopping(database.read, [...inHand.keys()]).catch(() => undefined);
    },
    async waitUntilSettled() {
      await choresInHand;
    },
  };
}

async function runInTurn(chores: readonly (() => Promise<void>)[]): Promise<void> {
  for (const chore of chores) await chore();
}

/** Runs chores one after another; a failing one does not stop the others. */
async function runChores({ chores = [], log }: WorkerParts): Promise<void> {
  for (const chore of chores) {
    await chore().catch((error: unknown) => {
      if (!(error instanceof DatabaseUnavailableError)) log.error({ err: error }, 'a chore failed');
    });
  }
}

/** The error of a job that several processes held when they died. */
class DeadlyJobError extends FinalJobError {
  override readonly name = 'DeadlyJobError';

  constructor() {
    super(
      'The service was killed several times while it did this, so it is not done again by itself. See in the log whether memory ran out; then try it again.',
    );
  }
}

async function runJob(parts: WorkerParts, job: Job, unrecorded: Set<number>): Promise<void> {
  const { database, clock, log, handlers, policies = {} } = parts;
  try {
    // An attempt beyond the last has no failure behind it, so that only deaths can have ended the others.
    if (job.deaths >= JOB_DEATHS_MAX || isExhausted(job.attempts - 1, policies[job.kind]))
      throw new DeadlyJobError();
    const handler = handlers[job.kind];
    if (handler === undefined) throw new Error(`no handler for jobs of kind ${job.kind}`);
    await handler(job.payload);
    await completeJob(database.read, job.id, clock.now());
  } catch (error) {
    await failJob(parts, job, error).catch((failure: unknown) => {
      unrecorded.add(job.id);
      log.warn({ job: job.id, kind: job.kind, err: failure }, 'the failure of a job could not be recorded');
    });
  }
}

async function failJob(parts: WorkerParts, job: Job, error: unknown): Promise<void> {
  const { database, clock, log, givenUp = {}, policies = {} } = parts;
  const policy = policies[job.kind];
  const text = getErrorMessage(error);
  if (error instanceof DatabaseUnavailableError) throw error;
  if (isExhausted(job.attempts, policy) || error instanceof FinalJobError) {
    log.error({ job: job.id, kind: job.kind, err: error }, 'a job was given up');
    await database.runTransaction(async (tx) => {
      await abandonJob(tx, job.id, { at: clock.now(), error: text });
      await givenUp[job.kind]?.(tx, job.payload);
    });
    return;
  }
  log.warn(
    { job: job.id, kind: job.kind, attempts: job.attempts, err: error },
    'a job failed and will be repeated',
  );
  const nextAt = addMs(clock.now(), retryDelayMs(job.attempts, policy));
  await postponeJob(database.read, job.id, { nextAt, error: text });
}

/** The jobs that a worker runs now, and how many more it may take. */

interface JobsInHand {
  readonly running: ReadonlyMap<number, Promise<void>>;
  /** Free places of all common kinds together, and of each kind that has its own. */
  findFree(): Pick<Claim, 'batch' | 'places' | 'busy' | 'suspects'>;
  /** Whether a job that is due may have no place. */
  isFull(): boolean;
  add(job: Job, work: Promise<void>): void;
}

function createJobsInHand(policies: Readonly<Record<string, JobPolicy>>, onEnd: () => void): JobsInHand {
  const running = new Map<number, Promise<void>>();
  const places = new Map(Object.entries(policies).map(([kind, { inHandMax }]) => [kind, inHandMax]));
  let common = JOBS_IN_HAND_MAX;
  const busy = new Set<KindOfOrganization>();
  const isOnePerOrganization = (kind: string): boolean => policies[kind]?.isOnePerOrganization === true;
  let suspects = 1;

  function change(kind: string, by: 1 | -1): void {
    const own = places.get(kind);
    if (own === undefined) common += by;
    else places.set(kind, own + by);
  }

  return {
    running,
    findFree: () => ({
      batch: common,
      // One at a time: two that are claimed together may be of one organization.
      places: new Map(
        [...places].map(([kind, free]) => [kind, isOnePerOrganization(kind) ? Math.min(1, free) : free]),
      ),
      busy: [...busy],
      suspects,
    }),
    isFull: () =>
      suspects === 0 || common <= 0 || busy.size > 0 || [...places.values()].some((count) => count <= 0),
    add(job, work) {
      const isSuspect = job.deaths > 0;
      change(job.kind, -1);
      const own = { kind: job.kind, organizationId: job.organization_id };
      if (isSuspect) suspects -= 1;
      if (isOnePerOrganization(job.kind)) busy.add(own);
      const ended = work.finally(() => {
        running.delete(job.id);
        change(job.kind, 1);
        if (isSuspect) suspects += 1;
        busy.delete(own);
        onEnd();
      });
      running.set(job.id, ended);
    },
  };
}
