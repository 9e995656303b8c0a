/** In a sandbox the simulated lab is told that there is work; in a live environment people see it on their board. */
import { after } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { organizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { enqueue } from '#domain/jobs/store.ts';
import type { ExperimentRow } from '#domain/experiments/store.ts';

export const SANDBOX_STEP = 'sandbox_lab_step';

export async function scheduleLab(
  work: Work,
  tx: Transaction,
  experiment: Pick<ExperimentRow, 'id' | 'organization_id'>,
  delayMs = 0,
): Promise<void> {
  if (work.site.environment !== 'sandbox') return;
  const now = work.clock.now();
  await enqueue(
    organizationScope(experiment.organization_id),
    tx,
    {
      kind: SANDBOX_STEP,
      payload: { experiment_id: experiment.id },
      dueAt: after(now, delayMs),
      uniqueKey: `${SANDBOX_STEP}:${experiment.id}`,
    },
    now,
  );
}
