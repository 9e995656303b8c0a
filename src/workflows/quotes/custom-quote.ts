/** Quotes that the lab writes by hand: drafted, edited, opened, withdrawn. */
import { after, DAY_MS } from '#core/clock.ts';
import type { ReadContext, WriteContext } from '#core/context.ts';
import { fail, invalidFields, type Problem } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { taxOf } from '#domain/billing/store.ts';
import { findExperiment, lockExperiment, type ExperimentRow } from '#domain/experiments/store.ts';
import { organizationName } from '#domain/organizations/store.ts';
import { compose, CUSTOM_PRICING } from '#domain/quotes/composition.ts';
import type * as contract from '#domain/quotes/lab-contract.ts';
import { isPast, TERMS_AND_CONDITIONS, validUntil } from '#domain/quotes/rules.ts';
import {
  findQuote,
  latestQuote,
  rewriteDraft,
  setQuoteStatus,
  type QuoteContent,
  type QuoteRow,
} from '#domain/quotes/store.ts';
import { advance, announce } from '../experiments/advance-experiment.ts';
import { endQuoteAtProcessor } from '../payments/order-at-processor.ts';
import { insertDraft, openQuote, sendQuote } from './prepare-quote.ts';
import { quoteInfo } from '../reading/read-money.ts';

const VALIDITY_MS_MAX = 2 * 365 * DAY_MS;

/** `GET /lab/quotes/{quote_id}`. */
export async function readAnyQuote(input: Input<typeof contract.getAnyQuote>, context: ReadContext) {
  return shown(context, context.sql, input.params.quote_id);
}

async function shown({ site }: Pick<ReadContext, 'site'>, sql: Sql, quoteId: string) {
  const quote = await findQuote(labScope, sql, quoteId);
  if (quote === undefined) throw fail('quote_not_found');
  const experiment = await findExperiment(labScope, sql, quote.experiment_id);
  if (experiment === undefined) throw fail('quote_not_found');
  const organization = await organizationName(organizationScope(quote.organization_id), sql);
  const { origin, composition, opened_at: openedAt, rejection } = quote;
  return {
    ...quoteInfo(site, quote, experiment.code, organization),
    origin,
    composition,
    opened_at: openedAt,
    rejection,
  };
}

type Draft = Input<typeof contract.editCustomQuote>['body'];

/** `POST /lab/quotes`. */
export async function draftCustomQuote(
  input: Input<typeof contract.createCustomQuote>,
  context: WriteContext,
) {
  const { tx } = context;
  const { experiment_id: idOrCode, ...draft } = input.body;
  const experiment = await lockExperiment(labScope, tx, idOrCode);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.concern(experiment.organization_id);
  const latest = await latestQuote(labScope, tx, experiment.id);
  if (latest !== undefined && (latest.status === 'draft' || latest.status === 'open'))
    throw fail('quote_exists', { status: latest.status });
  if (experiment.status !== 'waiting_for_confirmation')
    throw fail('experiment_not_quotable', { status: experiment.status });
  const scope = organizationScope(experiment.organization_id);
  const content = await contentOf(context, experiment, draft, undefined);
  const id = await insertDraft(context, tx, scope, experiment.id, content);
  return shown(context, tx, id);
}

/** What is given takes the place of what the draft has; the tax is the one of this moment. */
async function contentOf(
  context: WriteContext,
  experiment: ExperimentRow,
  given: Draft,
  present: QuoteRow | undefined,
): Promise<QuoteContent> {
  const tax = await taxOf(organizationScope(experiment.organization_id), context.tx);
  const composition = {
    line_items: given.line_items ?? present?.composition?.line_items ?? [],
    discounts: given.discounts ?? present?.composition?.discounts ?? [],
  };
  const now = context.clock.now();
  const until = given.valid_until ?? present?.valid_until;
  const validity = until === undefined ? validUntil(now) : new Date(until);
  const composed = compose(composition, tax);
  const problems = [
    ...composed.problems,
    ...(typeof given.valid_until === 'string' ? validityProblems(validity, now) : []),
  ];
  if (problems.length > 0 || !('lines' in composed)) throw invalidFields(problems);
  return {
    pricingVersion: CUSTOM_PRICING,
    breakdown: null,
    composition,
    lineItems: composed.lines,
    subtotalCents: composed.totals.subtotal_cents,
    taxCents: composed.totals.tax_cents,
    totalCents: composed.totals.total_cents,
    tax,
    notes: given.notes ?? present?.notes ?? '',
    terms: given.terms_and_conditions ?? present?.terms_and_conditions ?? TERMS_AND_CONDITIONS,
    validUntil: validity,
  };
}

function validityProblems(until: Date, now: Date): Problem[] {
  const isWithin = until.getTime() > now.getTime() && until <= after(now, VALIDITY_MS_MAX);
  return isWithin ? [] : [{ path: 'valid_until', message: 'must lie within the next two years' }];
}

/** Experiment first: the order in which everything else takes these locks. */
async function hold(context: WriteContext, quoteId: string) {
  const found = await findQuote(labScope, context.tx, quoteId);
  if (found === undefined) throw fail('quote_not_found');
  const experiment = await lockExperiment(labScope, context.tx, found.experiment_id);
  const quote = await findQuote(labScope, context.tx, quoteId);
  if (experiment === undefined || quote === undefined) throw fail('quote_not_found');
  context.concern(experiment.organization_id);
  return { experiment, quote, scope: organizationScope(experiment.organization_id) };
}

/** `PATCH /lab/quotes/{quote_id}`. */
export async function editDraft(input: Input<typeof contract.editCustomQuote>, context: WriteContext) {
  const { experiment, quote, scope } = await hold(context, input.params.quote_id);
  if (quote.origin !== 'custom' || quote.status !== 'draft')
    throw fail('quote_not_editable', { status: quote.status });
  const content = await contentOf(context, experiment, input.body, quote);
  await rewriteDraft(scope, context.tx, quote.id, content, context.clock.now());
  return shown(context, context.tx, quote.id);
}

/** `POST /lab/quotes/{quote_id}/open`. */
export async function openDraft(input: Input<typeof contract.openCustomQuote>, context: WriteContext) {
  const { tx } = context;
  const { experiment, quote, scope } = await hold(context, input.params.quote_id);
  if (quote.origin !== 'custom' || quote.status !== 'draft')
    throw fail('quote_not_editable', { status: quote.status });
  if (isPast(quote.valid_until, context.clock.now()))
    throw fail('quote_expired', { valid_until: quote.valid_until.slice(0, 10) });
  await openQuote(context, tx, scope, experiment, quote.id);
  await sendQuote(context, tx, scope, experiment);
  return shown(context, tx, quote.id);
}

/** `POST /lab/quotes/{quote_id}/withdraw`. */
export async function withdraw(input: Input<typeof contract.withdrawQuote>, context: WriteContext) {
  const { tx } = context;
  const { experiment, quote, scope } = await hold(context, input.params.quote_id);
  const isOwnDraft = quote.status === 'draft' && quote.origin === 'custom';
  if (quote.status !== 'open' && !isOwnDraft) throw fail('quote_not_withdrawable', { status: quote.status });
  const at = context.clock.now();
  await setQuoteStatus(scope, tx, quote.id, { from: quote.status, to: 'canceled', at });
  if (quote.status === 'open') {
    await endQuoteAtProcessor(context, tx, quote);
    const description = input.body.reason ?? quote.quote_number;
    await announce(context, tx, experiment, { type: 'quote', name: 'Quote withdrawn', description });
    if (experiment.status === 'quote_sent')
      await advance(context, tx, scope, experiment, {
        trigger: 'withdraw_quote',
        actor: 'lab',
        attempt: 'be quoted again',
      });
  }
  return shown(context, tx, quote.id);
}
