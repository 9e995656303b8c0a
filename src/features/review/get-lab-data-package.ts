import { HOUR_MS } from '#core/clock.ts';
import type { AuditedReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { Answer, type Input } from '#core/operation.ts';
import { labScope } from '#core/scope.ts';
import type { getLabDataPackage as operation } from '../results/lab-contract.ts';
import { selectResultIndex } from '../results/package-store.ts';
import { createPackageLink, REVIEW_PACKAGE_PATH } from '../results/package/package-link.ts';
import { requireLabExperiment } from './lab-results.ts';

/** `GET /lab/experiments/{experiment_id}/data-package`: the archive names the sequences, so this is recorded. */
export async function getLabDataPackage(
  input: Input<typeof operation>,
  context: AuditedReadContext,
): Promise<Answer> {
  const experiment = await requireLabExperiment(context, input.params.experiment_id);
  context.setAuditOrganization(experiment.organization_id);
  const { releasedAt } = await selectResultIndex(labScope, context.sql, experiment.id);
  if (releasedAt === null) throw fail('results_not_released');
  const path = `${REVIEW_PACKAGE_PATH}/${experiment.id}`;
  return new Answer(307, null, { location: createPackageLink(context, path, HOUR_MS) });
}
