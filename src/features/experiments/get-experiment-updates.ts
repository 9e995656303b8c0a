import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { getExperimentUpdates as operation } from '../updates/contract.ts';
import { experimentUpdateFields } from '../updates/list-fields.ts';
import { getLastUpdateId, listUpdatePage } from '../updates/store.ts';
import { requireExperiment } from './require-experiment.ts';
import { parseRound } from '../updates/parse-round.ts';

/** `GET /experiments/{experiment_id}/updates`: lists the updates of one experiment. */
export async function getExperimentUpdates(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<RawJson> {
  const scope = getScope(context.principal);
  const findLastId = () => getLastUpdateId(scope, context.sql);
  const listName = input.params.experiment_id;
  const page = await parseRound(context, experimentUpdateFields, input.query, { findLastId, listName });
  const { id: experimentId } = await requireExperiment(context, input.params.experiment_id);
  return listUpdatePage(scope, context.sql, page, experimentId);
}
