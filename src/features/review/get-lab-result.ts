import type { AuditedReadContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { getLabResult as operation } from '../results/lab-contract.ts';
import { findResultJson } from '../results/store.ts';
import { getResultForm } from '../results/result-form.ts';
import { requireLabResult } from './lab-results.ts';

/** `GET /lab/experiments/{experiment_id}/results/{result_id}`: an audited read. */
export async function getLabResult(
  input: Input<typeof operation>,
  context: AuditedReadContext,
): Promise<RawJson> {
  const experiment = await requireLabResult(context, input.params);
  context.setAuditOrganization(experiment.organization_id);
  const form = getResultForm(context.site);
  const json = await findResultJson(labScope, context.sql, input.params.result_id, form);
  if (json === undefined) throw fail('result_not_found');
  return new RawJson(json);
}
