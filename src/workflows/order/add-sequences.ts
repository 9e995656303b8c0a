import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { runInSlices } from '#core/slices.ts';
import {
  checkSequences,
  createProblemsFailure,
  refuseIfNotEditable,
  refuseIfTooMany,
} from '#features/experiments/rules.ts';
import { describeWarnings } from '#features/sequences/warnings.ts';
import { lockExperiment, updateExperiment, type ExperimentChanges } from '#features/experiments/store.ts';
import type { addSequences as operation } from '#features/sequences/contract.ts';
import { countGiven } from '#features/sequences/given.ts';
import { selectTakenNames } from '#features/sequences/store.ts';
import { refreshDraft } from '#features/quotes/prepare-quote.ts';
import { appendSequences } from '#features/sequences/append-sequences.ts';

/** `POST /sequences`: appends to a draft. */
export async function addSequences(input: Input<typeof operation>, context: WriteContext) {
  const { tx } = context;
  const scope = getScope(context.principal);
  const experiment = await lockExperiment(scope, tx, input.body.experiment_code);
  if (experiment === undefined) throw fail('experiment_not_found');
  refuseIfNotEditable(experiment.status, ['sequences']);
  const { limits } = context.site;
  const count = countGiven(input.body.sequences);
  if (count === 0)
    throw createProblemsFailure([{ path: 'sequences', message: 'at least one sequence is needed' }]);
  const total = experiment.sequence_count + count;
  refuseIfTooMany(total, limits);
  const firstNumber = experiment.sequence_count + 1;
  const checked = await runInSlices(checkSequences(input.body.sequences, limits, firstNumber));
  if (checked.problems.length > 0) throw createProblemsFailure(checked.problems);
  const names = checked.sequences.map((sequence) => sequence.name);
  const [taken] = await selectTakenNames(scope, tx, experiment.id, names);
  if (taken !== undefined) throw fail('duplicate_sequence_name', { name: taken });
  const ids = await appendSequences(context, experiment.id, experiment.sequence_count + 1, checked.sequences);
  const changes: ExperimentChanges = { ...experiment, sequence_count: total };
  await updateExperiment(scope, tx, experiment.id, changes, context.clock.now());
  await refreshDraft(context, tx, scope, { ...experiment, sequence_count: total });
  return {
    added_count: ids.length,
    experiment_code: experiment.code,
    experiment_id: experiment.id,
    sequence_ids: ids,
    ...(checked.warnings.length > 0 ? describeWarnings(checked.warnings) : {}),
  };
}
