import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { listResults as operation } from './contract.ts';
import { resultFields } from './list-fields.ts';
import { listResultPage } from './store.ts';
import { withPackageLinks } from './package/package-link.ts';
import { narrowToExperiment } from '../experiments/narrow-to-experiment.ts';
import { parseList } from '#core/parse-list.ts';
import { getResultForm } from './result-form.ts';

/** `GET /results`: lists the released results of the caller's organization, or of one experiment. */
export async function listResults(input: Input<typeof operation>, context: ReadContext): Promise<RawJson> {
  const query = parseList(context, resultFields, input.query, ['experiment_id'], input.query.experiment_id);
  const experimentId = await narrowToExperiment(context, input.query.experiment_id);
  const scope = getScope(context.principal);
  return withPackageLinks(
    context,
    await listResultPage(scope, context.sql, query, { ...getResultForm(context.site), experimentId }),
  );
}
