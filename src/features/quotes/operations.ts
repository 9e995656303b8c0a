/** The operations of quotes, each with what carries it out. */
import { bindLabList, bindList, bindRead, bindWrite, type Binding } from '../binding.ts';
import * as contract from './contract.ts';
import * as labContract from './lab-contract.ts';
import { rejectQuote } from './reject-quote.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import type { Input, Answer } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { listQuotePage, findQuote, selectLatestQuote, rewriteDraft, setQuoteStatus } from './store.ts';
import { selectOrganizationName } from '../organizations/store.ts';
import { createQuoteNotFoundFailure, isPast } from './rules.ts';
import { requireExperiment } from '../experiments/require-experiment.ts';
import { describeQuote, requireShownQuote } from './named-quote.ts';
import { fail } from '#core/failures.ts';
import { findExperiment, lockExperiment } from '../experiments/store.ts';
import { linkDocument } from '../billing/link-document.ts';
import { labScope, createOrganizationScope } from '#core/scope.ts';
import { showAnyQuote, composeContent, holdQuoteForStaff } from './custom-quote.ts';
import { insertDraft, openQuote, sendQuote } from './prepare-quote.ts';
import { readCurrentTerms } from '../billing/billing-profile.ts';
import { describeQuote as describeChange } from '../updates/details.ts';
import { transitionExperiment, addUpdate } from '../experiments/transition-experiment.ts';
import { withdrawQuoteAtProcessor } from '../payments/order-at-processor.ts';

export const quotesOperations: readonly Binding[] = [
  bindList(contract.listQuotes, ({ scope, sql, site }, query) =>
    listQuotePage(scope, sql, query, site.baseUrl),
  ),
  bindRead(contract.getQuoteInfo, getQuoteInfo),
  bindRead(contract.getQuoteMetadata, getQuoteMetadata),
  bindRead(contract.getQuotePdf, getQuotePdf),
  bindWrite(contract.rejectQuote, rejectQuote),
  bindLabList(labContract.listAllQuotes, ({ scope, sql, site }, query) =>
    listQuotePage(scope, sql, query, site.baseUrl),
  ),
  bindRead(labContract.getAnyQuote, getAnyQuote),
  bindRead(labContract.getAnyQuotePdf, getAnyQuotePdf),
  bindWrite(labContract.createCustomQuote, createCustomQuote),
  bindWrite(labContract.editCustomQuote, editCustomQuote),
  bindWrite(labContract.openCustomQuote, openCustomQuote),
  bindWrite(labContract.withdrawQuote, withdrawQuote),
];

/** `GET /quotes/{quote_id}`: one quote; one by hand is not found before staff send it. */
async function getQuoteInfo(input: Input<typeof contract.getQuoteInfo>, context: ReadContext) {
  const scope = getScope(context.principal);
  const quote = await findQuote(scope, context.sql, input.params.quote_id);
  if (quote === undefined || !quote.is_shown)
    throw createQuoteNotFoundFailure(input.params.quote_id, contract.getQuoteMetadata);
  const experiment = await requireExperiment(context, quote.experiment_id);
  return describeQuote(context.site, quote, experiment, await selectOrganizationName(scope, context.sql));
}

/** `GET /experiments/{experiment_id}/quote`: the quote of an experiment. */
async function getQuoteMetadata(input: Input<typeof contract.getQuoteMetadata>, context: ReadContext) {
  const experiment = await requireExperiment(context, input.params.experiment_id);
  const quote = await requireShownQuote(getScope(context.principal), context.sql, experiment);
  return {
    experiment_id: experiment.id,
    quote_id: quote.id,
    status: quote.status,
    amount_subtotal: quote.subtotal_cents,
    amount_total: quote.total_cents,
    currency: quote.currency,
    expires_at: quote.valid_until,
    eta: quote.status === 'open' || quote.status === 'accepted' ? experiment.eta : null,
    updated_at: quote.updated_at,
    provider_quote_url: `${context.site.baseUrl}/quotes/${quote.id}`,
  };
}

/** `GET /experiments/{experiment_id}/quote/pdf`. */
async function getQuotePdf(input: Input<typeof contract.getQuotePdf>, context: ReadContext): Promise<Answer> {
  const scope = getScope(context.principal);
  const experiment = await findExperiment(scope, context.sql, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  const quote = await requireShownQuote(scope, context.sql, experiment);
  return linkDocument(context, 'quotes', quote.id);
}

/** `GET /lab/quotes/{quote_id}`. */
async function getAnyQuote(input: Input<typeof labContract.getAnyQuote>, context: ReadContext) {
  return showAnyQuote(context, context.sql, input.params.quote_id);
}

/** `GET /lab/quotes/{quote_id}/pdf`: shows a draft as the client will see it. */
async function getAnyQuotePdf(
  input: Input<typeof labContract.getAnyQuotePdf>,
  context: ReadContext,
): Promise<Answer> {
  const quote = await findQuote(labScope, context.sql, input.params.quote_id);
  if (quote === undefined) throw fail('quote_not_found');
  return linkDocument(context, 'quotes', quote.id);
}

/** `POST /lab/quotes`. */
async function createCustomQuote(input: Input<typeof labContract.createCustomQuote>, context: WriteContext) {
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

/** `PATCH /lab/quotes/{quote_id}`. */
async function editCustomQuote(input: Input<typeof labContract.editCustomQuote>, context: WriteContext) {
  const { experiment, quote, scope } = await holdQuoteForStaff(context, input.params.quote_id);
  if (quote.origin !== 'custom' || quote.status !== 'draft')
    throw fail('quote_not_editable', { status: quote.status });
  const content = await composeContent(context, experiment, input.body, quote);
  await rewriteDraft(scope, context.tx, quote.id, content, context.clock.now());
  return showAnyQuote(context, context.tx, quote.id);
}

/** `POST /lab/quotes/{quote_id}/open`. */
async function openCustomQuote(input: Input<typeof labContract.openCustomQuote>, context: WriteContext) {
  const { tx } = context;
  const { experiment, quote, scope } = await holdQuoteForStaff(context, input.params.quote_id);
  if (quote.origin !== 'custom' || quote.status !== 'draft')
    throw fail('quote_not_editable', { status: quote.status });
  if (isPast(quote.valid_until, context.clock.now()))
    throw fail('quote_expired', { valid_until: quote.valid_until.slice(0, 10) });
  const terms = await readCurrentTerms(context.site, scope, tx);
  await openQuote(context, tx, scope, experiment, { quoteId: quote.id, terms });
  await sendQuote(context, tx, scope, experiment);
  return showAnyQuote(context, tx, quote.id);
}

/** `POST /lab/quotes/{quote_id}/withdraw`. */
async function withdrawQuote(input: Input<typeof labContract.withdrawQuote>, context: WriteContext) {
  const { tx } = context;
  const { experiment, quote, scope } = await holdQuoteForStaff(context, input.params.quote_id);
  const isOwnDraft = quote.status === 'draft' && quote.origin === 'custom';
  if (quote.status !== 'open' && !isOwnDraft) throw fail('quote_not_withdrawable', { status: quote.status });
  const at = context.clock.now();
  await setQuoteStatus(scope, tx, quote.id, { from: quote.status, to: 'canceled', at });
  if (quote.status === 'open') {
    await withdrawQuoteAtProcessor(context, tx, quote);
    const description = input.body.reason ?? quote.quote_number;
    await addUpdate(context, tx, experiment, {
      event: 'quote.withdrawn',
      name: 'Quote withdrawn',
      description,
      details: describeChange(quote, { previous: 'open', current: 'canceled' }),
      actor: 'lab',
    });
    if (experiment.status === 'quote_sent')
      await transitionExperiment(context, tx, scope, experiment, {
        trigger: 'withdraw_quote',
        actor: 'lab',
        action: 'be quoted again',
      });
  }
  return showAnyQuote(context, tx, quote.id);
}
