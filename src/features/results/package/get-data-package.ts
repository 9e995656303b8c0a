import { HOUR_MS } from '#core/clock.ts';
import type { ReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { Answer, type Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { getDataPackage as operation } from './contract.ts';
import { findExperiment } from '../../experiments/store.ts';
import { selectResultIndex } from '../package-store.ts';
import { DATA_PACKAGE_PATH, createPackageLink } from './package-link.ts';

/** `GET /experiments/{experiment_id}/data-package`. */
export async function getDataPackage(input: Input<typeof operation>, context: ReadContext): Promise<Answer> {
  const { principal, sql } = context;
  const scope = getScope(principal);
  const experiment = await findExperiment(scope, sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const { releasedAt } = await selectResultIndex(scope, sql, experiment.id);
  if (releasedAt === null) throw fail('results_not_released');
  const path = `${DATA_PACKAGE_PATH}/${principal.organizationId}/${experiment.id}`;
  return new Answer(307, null, { location: createPackageLink(context, path, HOUR_MS) });
}
