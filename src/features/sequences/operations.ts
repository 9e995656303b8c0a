/** The operations of sequences, each with what carries it out. */
import { bindCompute, bindRead, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/reply.ts';
import { checkDesigns } from './check-designs.ts';
import { sequenceFields } from './list-fields.ts';
import { listSequencePage, findSequence } from './store.ts';
import { narrowToExperiment, requireExperiment } from '../experiments/require-experiment.ts';
import { parseList } from '#core/parse-list.ts';
import { fail } from '#core/failures.ts';

export const sequencesOperations: readonly Binding[] = [
  bindRead(contract.listSequences, listSequences),
  bindCompute(contract.checkDesigns, checkDesigns),
  bindRead(contract.getSequenceInfo, getSequenceInfo),
  bindRead(contract.getExperimentSequences, getExperimentSequences),
];

/** `GET /sequences`: lists the sequences of all experiments of the caller's organization, or of one. */
async function listSequences(
  input: Input<typeof contract.listSequences>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parseList(context, sequenceFields, input.query, ['experiment_id'], input.query.experiment_id);
  const experimentId = await narrowToExperiment(context, input.query.experiment_id);
  return listSequencePage(getScope(context.principal), context.sql, query, experimentId);
}

/** `GET /sequences/{sequence_id}`: one sequence with its experiment. */
async function getSequenceInfo(input: Input<typeof contract.getSequenceInfo>, context: ReadContext) {
  const row = await findSequence(getScope(context.principal), context.sql, input.params.sequence_id);
  if (row === undefined) throw fail('sequence_not_found');
  return {
    id: row.id,
    name: row.name,
    aa_string: row.aa_string,
    length: row.length,
    is_control: row.is_control,
    control: row.is_control,
    metadata: row.metadata,
    created_at: row.created_at,
    experiment: {
      experiment_id: row.experiment_id,
      experiment_code: row.experiment_code,
      experiment_status: row.experiment_status,
    },
  };
}

/** `GET /experiments/{experiment_id}/sequences`: lists the sequences of one experiment. */
async function getExperimentSequences(
  input: Input<typeof contract.getExperimentSequences>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parseList(context, sequenceFields, input.query, [], input.params.experiment_id);
  const { id: experimentId } = await requireExperiment(context, input.params.experiment_id);
  return listSequencePage(getScope(context.principal), context.sql, query, experimentId);
}
