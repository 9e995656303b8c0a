import type { AuditedReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope } from '#core/scope.ts';
import type { listLabResults as operation } from '../results/lab-contract.ts';
import { labResultFields } from '../results/list-fields.ts';
import { listResultPage } from '../results/store.ts';
import { LAB_LIST, parseList } from '#core/parse-list.ts';
import { getResultForm } from '../results/result-form.ts';
import { requireLabExperiment } from './lab-results.ts';

/** `GET /lab/experiments/{experiment_id}/results`: an audited read, because results name sequences. */
export async function listLabResults(
  input: Input<typeof operation>,
  context: AuditedReadContext,
): Promise<RawJson> {
  const listName = `${LAB_LIST} ${input.params.experiment_id}`;
  const query = parseList(context, labResultFields, input.query, [], listName);
  const experiment = await requireLabExperiment(context, input.params.experiment_id);
  context.setAuditOrganization(experiment.organization_id);
  const form = { ...getResultForm(context.site), experimentId: experiment.id };
  return listResultPage(labScope, context.sql, query, form);
}
