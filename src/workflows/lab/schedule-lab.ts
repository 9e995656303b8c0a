/** In a sandbox the simulated lab is told that there is work; in a live environment people see it on their board. */
import { after, DAY_MS } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { organizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { enqueue } from '#domain/jobs/store.ts';
import type { ExperimentRow } from '#domain/experiments/store.ts';

export const SANDBOX_STEP = 'sandbox_lab_step';

/** How long the simulated lab stays in each state, in its own time; `sandboxSpeed` says how fast that passes. */
const STAY_MS: Readonly<Partial<Record<ExperimentStatus, number>>> = {
  waiting_for_materials: 4 * DAY_MS,
  in_queue: DAY_MS,
  in_production: 2 * DAY_MS,
  data_analysis: DAY_MS / 2,
  in_review: DAY_MS,
};

/**
 * Asks for the next step of the simulated lab once the stay in the present state is over. The job names the state it
 * is for, so a second one for the same state finds nothing left to do.
 */
export async function scheduleLab(
  work: Work,
  tx: Transaction,
  experiment: Pick<ExperimentRow, 'id' | 'organization_id' | 'status'>,
): Promise<void> {
  if (work.site.environment !== 'sandbox') return;
  const now = work.clock.now();
  const delayMs = (STAY_MS[experiment.status] ?? 0) / work.site.sandboxSpeed;
  await enqueue(
    organizationScope(experiment.organization_id),
    tx,
    {
      kind: SANDBOX_STEP,
      payload: { experiment_id: experiment.id, status: experiment.status },
      dueAt: after(now, delayMs),
    },
    now,
  );
}
