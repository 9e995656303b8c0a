import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import { lockExperiment } from '../experiments/store.ts';
import type { createCustomQuote as operation } from './lab-contract.ts';
import { selectLatestQuote } from './store.ts';
import { composeContent, showAnyQuote } from './custom-quote.ts';
import { insertDraft } from './prepare-quote.ts';

/** `POST /lab/quotes`. */
export async function createCustomQuote(input: Input<typeof operation>, context: WriteContext) {
  const { tx } = context;
  const { experiment_id: idOrCode, ...draft } = input.body;
  const experiment = await lockExperiment(labScope, tx, idOrCode);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.setAuditOrganization(experiment.organization_id);
  const latest = await selectLatestQuote(labScope, tx, experiment.id);
  if (latest !== undefined && (latest.status === 'draft' || latest.status === 'open'))
    throw fail('quote_exists', { status: latest.status });
  if (experiment.status !== 'waiting_for_confirmation')
    throw fail('experiment_not_quotable', { status: experiment.status });
  const scope = createOrganizationScope(experiment.organization_id);
  const content = await composeContent(context, experiment, draft, undefined);
  const id = await insertDraft(context, tx, scope, experiment.id, content);
  return showAnyQuote(context, tx, id);
}
