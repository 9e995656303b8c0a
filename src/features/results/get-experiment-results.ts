import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { getExperimentResults as operation } from './contract.ts';
import { experimentResultFields } from './list-fields.ts';
import { listResultPage } from './store.ts';
import { withPackageLinks } from './package/package-link.ts';
import { requireExperiment } from '../experiments/require-experiment.ts';
import { parseList } from '#core/parse-list.ts';
import { getResultForm } from './result-form.ts';

/** `GET /experiments/{experiment_id}/results`: lists the released results of one experiment. */
export async function getExperimentResults(
  input: Input<typeof operation>,
  context: ReadContext,
): Promise<RawJson> {
  const query = parseList(context, experimentResultFields, input.query, [], input.params.experiment_id);
  const { id: experimentId } = await requireExperiment(context, input.params.experiment_id);
  const scope = getScope(context.principal);
  return withPackageLinks(
    context,
    await listResultPage(scope, context.sql, query, { ...getResultForm(context.site), experimentId }),
  );
}
