import type { WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { releaseResults as operation } from '#domain/lab/run-contract.ts';
import { releaseExperiment } from './analyse-experiment.ts';
import { describeMove, holdExperiment } from './lab-step.ts';

export async function releaseResults(input: Input<typeof operation>, context: WriteContext) {
  const experiment = await holdExperiment(context, input.params.experiment_id);
  const after = await releaseExperiment(context, context.tx, experiment);
  return describeMove(experiment, after.status);
}
