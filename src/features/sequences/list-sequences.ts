import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listSequences as operation } from './contract.ts';
import { sequenceFields } from './list-fields.ts';
import { listSequencePage } from './store.ts';
import { narrowToExperiment } from '../experiments/narrow-to-experiment.ts';
import { parseList } from '#core/parse-list.ts';

/** `GET /sequences`: lists the sequences of all experiments of the caller's organization, or of one. */
export async function listSequences(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, sequenceFields, input.query, ['experiment_id'], input.query.experiment_id);
  const experimentId = await narrowToExperiment(context, input.query.experiment_id);
  return listSequencePage(getScope(context.principal), context.sql, query, experimentId);
}
