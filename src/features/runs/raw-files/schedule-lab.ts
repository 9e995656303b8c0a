/**
 * Schedules the next step of the simulated lab in a sandbox; in a live environment staff see the work on their board.
 */
import { addMs, DAY_MS } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { enqueue } from '../../jobs/store.ts';
import type { ExperimentRow } from '../../experiments/store.ts';

export const SANDBOX_STEP = 'sandbox_lab_step';

/** Simulated time that the lab spends in each status; `sandboxSpeed` scales it to real time. */
const STAY_MS: Readonly<Partial<Record<ExperimentStatus, number>>> = {
  waiting_for_materials: 4 * DAY_MS,
  in_queue: DAY_MS,
  in_production: 2 * DAY_MS,
  data_analysis: DAY_MS / 2,
  in_review: DAY_MS,
  done: DAY_MS,
};

/**
 * Schedules the next step of the simulated lab at the end of the current status. The job names the status, so a
 * second job for the same status does nothing. With `delayMs`, in simulated time, the step comes after it instead.
 */
export async function scheduleLab(
  work: Work,
  tx: Transaction,
  experiment: Pick<ExperimentRow, 'id' | 'organization_id' | 'status'>,
  { delayMs }: { readonly delayMs?: number } = {},
): Promise<void> {
  if (work.site.environment !== 'sandbox') return;
  const now = work.clock.now();
  const stayMs = delayMs ?? STAY_MS[experiment.status] ?? 0;
  await enqueue(
    createOrganizationScope(experiment.organization_id),
    tx,
    {
      kind: SANDBOX_STEP,
      payload: {
        experiment_id: experiment.id,
        status: experiment.status,
      },
      dueAt: addMs(now, stayMs / work.site.sandboxSpeed),
    },
    now,
  );
}
