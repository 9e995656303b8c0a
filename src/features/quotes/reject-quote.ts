import type { Work, WriteContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { labScope, createOrganizationScope, type OrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { ExperimentRow } from '../experiments/store.ts';
import { getQuoteMetadata, type rejectQuote as operation } from './contract.ts';
import { createQuoteNotFoundFailure, isPast, refuseIfNotOpen } from './rules.ts';
import { setQuoteStatus } from './store.ts';
import { describeQuote } from '../updates/details.ts';
import { recordChange } from '../audit/record-change.ts';
import { transitionExperiment, addUpdate } from '../experiments/transition-experiment.ts';
import { withdrawQuoteAtProcessor } from '../payments/order-at-processor.ts';
import { holdQuote } from './named-quote.ts';
import { refreshDraft, sendQuote } from './prepare-quote.ts';

/** `POST /quotes/{quote_id}/reject`: cancels the quote; the experiment is a draft again with a new draft quote. */
export async function rejectQuote(input: Input<typeof operation>, context: WriteContext) {
  const { tx } = context;
  const scope = getScope(context.principal);
  const heldQuote = await holdQuote(scope, tx, input.params.quote_id);
  if (heldQuote === undefined || !heldQuote.quote.is_shown)
    throw createQuoteNotFoundFailure(input.params.quote_id, getQuoteMetadata);
  const { experiment, quote } = heldQuote;
  refuseIfNotOpen(quote, context.clock.now());
  const { reason, feedback } = input.body;
  await setQuoteStatus(scope, tx, quote.id, {
    from: 'open',
    to: 'canceled',
    at: context.clock.now(),
    rejection: { reason, feedback: feedback ?? null },
  });
  await withdrawQuoteAtProcessor(context, tx, quote);
  await addUpdate(context, tx, experiment, {
    event: 'quote.rejected',
    name: 'Quote rejected',
    description: `Reason: ${reason}`,
    details: describeQuote(quote, { previous: 'open', current: 'canceled' }),
  });
  await returnToDraft(context, tx, scope, experiment, 'reject_quote');
  context.addAuditDetails({ reason, feedback: feedback ?? null });
  return { id: quote.id, status: 'canceled' as const };
}

/** Marks an open quote past its end date as stale. The worker calls it for each due quote. */
export async function expireQuote(work: Work, tx: Transaction, quoteId: string): Promise<void> {
  const heldQuote = await holdQuote(labScope, tx, quoteId);
  if (heldQuote?.quote.status !== 'open') return;
  const { experiment, quote } = heldQuote;
  if (!isPast(quote.valid_until, work.clock.now())) return;
  const scope = createOrganizationScope(experiment.organization_id);
  await setQuoteStatus(scope, tx, quoteId, { from: 'open', to: 'stale', at: work.clock.now() });
  await withdrawQuoteAtProcessor(work, tx, quote);
  await addUpdate(work, tx, experiment, {
    event: 'quote.expired',
    name: 'Quote expired',
    description: quote.quote_number,
    details: describeQuote(quote, { previous: 'open', current: 'stale' }),
  });
  await returnToDraft(work, tx, scope, experiment, 'expire_quote');
  await recordChange(work, tx, scope, {
    actorKind: 'worker',
    actor: 'worker',
    operation: 'expire_quote',
    subject: quoteId,
    details: { experiment_id: experiment.id, from: experiment.status, to: 'draft' },
  });
}

/** An experiment that skipped the draft may still wait for its quote; it becomes `quote_sent` first, then a draft. */
async function returnToDraft(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experiment: ExperimentRow,
  trigger: 'reject_quote' | 'expire_quote',
): Promise<void> {
  const next = await sendQuote(work, tx, scope, experiment);
  const returned = await transitionExperiment(work, tx, scope, next, {
    trigger,
    actor: trigger === 'reject_quote' ? 'client' : 'service',
    action: 'return to draft',
  });
  await refreshDraft(work, tx, scope, returned);
}
