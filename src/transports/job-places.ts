/** The jobs that a worker runs now, and how many more it may take. */
import { JOBS_IN_HAND_MAX, type JobPolicy } from '#features/jobs/rules.ts';
import type { Claim, Job, KindOfOrganization } from '#features/jobs/store.ts';

export interface JobsInHand {
  readonly running: ReadonlyMap<number, Promise<void>>;
  /** Free places of all common kinds together, and of each kind that has its own. */
  findFree(): Pick<Claim, 'batch' | 'places' | 'busy' | 'suspects'>;
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
