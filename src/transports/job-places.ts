/** The jobs that a worker runs now, and how many more it may take. */
import { JOBS_IN_HAND_MAX, type JobPolicy } from '#domain/jobs/rules.ts';
import type { Job } from '#domain/jobs/store.ts';

export interface JobsInHand {
  readonly running: ReadonlyMap<number, Promise<void>>;
  /** Free places of all common kinds together, and of each kind that has its own. */
  findFree(): { readonly batch: number; readonly places: ReadonlyMap<string, number> };
  /** Whether a job that is due may have no place. */
  isFull(): boolean;
  add(job: Job, work: Promise<void>): void;
}

export function createJobsInHand(
  policies: Readonly<Record<string, JobPolicy>>,
  onEnd: () => void,
): JobsInHand {
  const running = new Map<number, Promise<void>>();
  const places = new Map(Object.entries(policies).map(([kind, { inHandMax }]) => [kind, inHandMax]));
  let common = JOBS_IN_HAND_MAX;

  function change(kind: string, by: 1 | -1): void {
    const own = places.get(kind);
    if (own === undefined) common += by;
    else places.set(kind, own + by);
  }

  return {
    running,
    findFree: () => ({ batch: common, places }),
    isFull: () => common === 0 || [...places.values()].some((count) => count === 0),
    add(job, work) {
      change(job.kind, -1);
      const ended = work.finally(() => {
        running.delete(job.id);
        change(job.kind, 1);
        onEnd();
      });
      running.set(job.id, ended);
    },
  };
}
