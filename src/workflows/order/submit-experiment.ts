import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { submitExperiment as operation } from '#features/experiments/contract.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { hasTarget } from '#assays/registry.ts';
import { lockExperiment, type ExperimentRow } from '#features/experiments/store.ts';
import { findKeptTarget, findTarget } from '#features/targets/store.ts';
import {
  createNotOfferedFailure,
  refuseOutsideOffer,
  requireOffer,
} from '#features/pricing/assay-types/require-offer.ts';
import { readCurrentTerms } from '#features/billing/billing-profile.ts';
import { openQuote, refreshDraft, sendQuote } from '#features/quotes/prepare-quote.ts';
import { transitionExperiment } from '#features/experiments/transition-experiment.ts';

/**
 * `POST /experiments/{experiment_id}/submit`: sends a draft to review, and opens its quote when the price is
 * complete.
 */
export async function submitExperiment(input: Input<typeof operation>, context: WriteContext) {
  const { tx } = context;
  const scope = getScope(context.principal);
  const experiment = await lockExperiment(scope, tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  if (experiment.status === 'draft') {
    refuseIfIncomplete(experiment);
    await refuseRetiredTarget(scope, tx, experiment);
    await refuseUnoffered(tx, experiment, context.clock.now());
  }
  const submitted = await transitionExperiment(context, tx, scope, experiment, {
    trigger: 'submit',
    actor: 'client',
    action: 'be submitted',
  });
  const terms = await readCurrentTerms(context.site, scope, tx);
  const { price, quoteId } = await refreshDraft(context, tx, scope, submitted, terms.tax);
  if (price.kind === 'unpriced') throw createNotOfferedFailure(experiment.experiment_type, price.reason);
  let { status } = submitted;
  if (quoteId !== undefined) {
    await openQuote(context, tx, scope, submitted, { quoteId, terms });
    const quoted = await sendQuote(context, tx, scope, submitted);
    status = quoted.status;
  }
  return {
    experiment_id: experiment.id,
    previous_status: experiment.status,
    status,
    confirmed_at: context.clock.now().toISOString(),
  };
}

/** The lab may have retired the target since the draft was made. */
async function refuseRetiredTarget(
  scope: OrganizationScope,
  tx: Transaction,
  { target_id: targetId }: ExperimentRow,
): Promise<void> {
  if (targetId === null || (await findTarget(scope, tx, targetId)) !== undefined) return;
  throw fail('target_retired', { name: (await findKeptTarget(scope, tx, targetId))?.name ?? 'of the draft' });
}

/** The lab may offer less than when the draft was made. */
async function refuseUnoffered(tx: Transaction, experiment: ExperimentRow, at: Date): Promise<void> {
  refuseOutsideOffer(await requireOffer(tx, experiment.experiment_type, at), experiment);
}

/** A change may have cleared fields that a creation requires. */
function refuseIfIncomplete(experiment: ExperimentRow): void {
  const { experiment_type: experimentType, target_id: targetId, requested_target: requested } = experiment;
  if (experiment.sequence_count === 0) throw fail('experiment_empty');
  if (hasTarget(experimentType) && targetId === null && requested === null) {
    throw fail('experiment_without_target', { experiment_type: experimentType });
  }
}
