/** Stored runs for tests, over experiments on the road through the lab. */
import { expectStatus } from './builders.ts';
import { getText, type TestService } from './service.ts';

/** What `plan_run` needs for a screening beside its experiments. */
const RUN_WISHES = {
  size: 96,
  concentrations_m: [1e-7],
  controls: { positive: 'positive-protein', negatives: ['negative-1'], standard: null },
} as const;

/** The request and the plan of a run over experiments, as the planner answers them. */
export async function planTestRun(
  ask: TestService['ask'],
  experimentIds: readonly string[],
  wishes: Readonly<Record<string, unknown>> = {},
) {
  const body = { experiment_ids: experimentIds, ...RUN_WISHES, seed: 7, ...wishes };
  const { request, plan } = expectStatus(await ask('POST', '/lab/run-plans', { body }), 200).body;
  return { request, plan, instrument: 'Octet R8', operator: 'Ada Example' };
}

/** Stores a run over experiments and returns its id. */
export async function insertTestRun(
  ask: TestService['ask'],
  experimentIds: readonly string[],
  wishes?: Readonly<Record<string, unknown>>,
): Promise<string> {
  const body = await planTestRun(ask, experimentIds, wishes);
  return getText(expectStatus(await ask('POST', '/lab/runs', { body }), 201).body.id);
}
