import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Sql } from '#core/sql.ts';
import { readSandboxOptions, type SandboxLab } from '../../experiments/sandbox-options.ts';
import type { ExperimentRow } from '../../experiments/store.ts';
import { findSimulatedLab, type SimulatedLabRow } from './store.ts';

/** `GET /lab/simulated-lab`. */
export async function getSimulatedLab(_input: unknown, { site, sql }: ReadContext) {
  if (site.environment !== 'sandbox') throw fail('sandbox_only', { what: 'its staff take every step' });
  return describeSimulatedLab(await findSimulatedLab(sql));
}

export function describeSimulatedLab(row: SimulatedLabRow | undefined) {
  return {
    mode: row?.mode ?? 'simulated',
    changed_by: row?.changed_by ?? null,
    changed_at: row?.changed_at ?? null,
  };
}

/** Says who takes the next step of an experiment; what its order says comes before the switch of the environment. */
export async function chooseLab(
  sql: Sql,
  experiment: Pick<ExperimentRow, 'parameters'>,
): Promise<SandboxLab> {
  const option = readSandboxOptions(experiment.parameters).lab;
  return option ?? (await findSimulatedLab(sql))?.mode ?? 'simulated';
}
