import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { getExperimentSequences as operation } from './contract.ts';
import { sequenceFields } from './list-fields.ts';
import { listSequencePage } from './store.ts';
import { requireExperiment } from '../experiments/require-experiment.ts';
import { parseList } from '#core/parse-list.ts';

/** `GET /experiments/{experiment_id}/sequences`: lists the sequences of one experiment. */
export async function getExperimentSequences(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parseList(context, sequenceFields, input.query, [], input.params.experiment_id);
  const { id: experimentId } = await requireExperiment(context, input.params.experiment_id);
  return listSequencePage(getScope(context.principal), context.sql, query, experimentId);
}
