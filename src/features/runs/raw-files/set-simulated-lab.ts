import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import type { Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import { selectExperimentsInStatus } from '../../experiments/store.ts';
import type { setSimulatedLab as operation } from './simulated-lab-contract.ts';
import { putSimulatedLab } from './simulated-lab-store.ts';
import { describeSimulatedLab } from './get-simulated-lab.ts';
import { scheduleLab } from './schedule-lab.ts';

/** The steps that people take while the lab is manual. */
const STEPS_OF_PEOPLE: readonly ExperimentStatus[] = ['waiting_for_materials', 'in_queue', 'in_review'];

/** `PUT /lab/simulated-lab`: switched back to simulated, every waiting experiment gets its next step. */
export async function setSimulatedLab({ body }: Input<typeof operation>, context: WriteContext) {
  const { tx, site, clock, principal } = context;
  if (site.environment !== 'sandbox') throw fail('sandbox_only', { what: 'its staff take every step' });
  const row = { mode: body.mode, changed_by: principal.userEmail, changed_at: clock.now().toISOString() };
  await putSimulatedLab(tx, row);
  if (body.mode === 'simulated')
    for (const experiment of await selectExperimentsInStatus(labScope, tx, STEPS_OF_PEOPLE))
      await scheduleLab(context, tx, experiment);
  return describeSimulatedLab(row);
}
