import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { getExperimentUpdates as operation } from '#domain/updates/contract.ts';
import { experimentUpdateFields } from '#domain/updates/list-fields.ts';
import { listUpdatePage } from '#domain/updates/store.ts';
import { requireExperiment } from '../experiments/require-experiment.ts';
import { parseList } from '../lists/parse-list.ts';

export async function getExperimentUpdates(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parseList(context, experimentUpdateFields, input.query, [], input.params.experiment_id);
  const { id: experimentId } = await requireExperiment(context, input.params.experiment_id);
  return listUpdatePage(getScope(context.principal), context.sql, query, experimentId);
}
