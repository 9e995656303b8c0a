/** A quote before the client decides: drafted when a price is known, opened when it is sent. */
import { CURRENCY } from '#core/money.ts';
import type { Work } from '#core/context.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import type { AppliedTax } from '../pricing/contract.ts';
import type { Price } from '../pricing/rules.ts';
import { computeTotals } from '../pricing/totals.ts';
import { formatQuoteNumber, TERMS_AND_CONDITIONS, computeValidUntil } from './rules.ts';
import {
  findQuote,
  insertQuote,
  selectLatestQuote,
  markOpen,
  takeQuoteNumber,
  rewriteDraft,
  setQuoteStatus,
  type QuoteContent,
  type QuoteRow,
} from './store.ts';
import type { ExperimentRow } from '../experiments/store.ts';
import { SEND_QUOTE } from '../jobs/rules.ts';
import { enqueue } from '../jobs/store.ts';
import { describeQuote } from '../updates/details.ts';
import { transitionExperiment, addUpdate } from '../experiments/transition-experiment.ts';
import type { Terms } from '../billing/billing-profile.ts';
import { mirrorQuote } from '../payments/order-at-processor.ts';
import { findPrice, type Unpriced } from '../experiments/price-experiment.ts';

/** Makes a draft or prices it again. Without a complete price an existing draft is withdrawn. Returns its id. */
export async function draftQuote(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experimentId: string,
  price: Price | Unpriced,
  existing?: QuoteRow,
): Promise<string | undefined> {
  const at = work.clock.now();
  if (price.kind !== 'complete') {
    if (existing !== undefined)
      await setQuoteStatus(scope, tx, existing.id, { from: 'draft', to: 'canceled', at });
    return undefined;
  }
  const content = buildContent(price, at);
  if (existing !== undefined) {
    await rewriteDraft(scope, tx, existing.id, content, at);
    return existing.id;
  }
  return insertDraft(work, tx, scope, experimentId, content);
}

export async function insertDraft(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experimentId: string,
  content: QuoteContent,
): Promise<string> {
  const at = work.clock.now();
  const id = work.ids.createQuoteId();
  const number = formatQuoteNumber(at.getUTCFullYear(), await takeQuoteNumber(tx));
  await insertQuote(scope, tx, {
    ...content,
    id,
    experiment_id: experimentId,
    quote_number: number,
    currency: CURRENCY,
    created_at: at,
  });
  return id;
}

function buildContent(price: Extract<Price, { kind: 'complete' }>, at: Date): QuoteContent {
  const { breakdown, lines, totals, tax } = price;
  return {
    pricing_version: breakdown.pricing_version,
    breakdown,
    composition: null,
    line_items: lines,
    subtotal_cents: totals.subtotal_cents,
    tax_cents: totals.tax_cents,
    total_cents: totals.total_cents,
    tax,
    notes: '',
    terms_and_conditions: TERMS_AND_CONDITIONS,
    valid_until: computeValidUntil(at),
  };
}

/** Prices the experiment again and updates its draft quote. */
export async function refreshDraft(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experiment: ExperimentRow,
  tax?: AppliedTax,
): Promise<{ price: Price | Unpriced; quoteId: string | undefined }> {
  const price = await findPrice(
    work.site,
    scope,
    tx,
    {
      experiment_type: experiment.experiment_type,
      method: experiment.method,
      target_id: experiment.target_id,
      requested_target: experiment.requested_target,
      n_replicates: experiment.n_replicates,
      sequence_count: experiment.sequence_count,
    },
    work.clock.now(),
    { tax },
  );
  const latest = await selectLatestQuote(scope, tx, experiment.id);
  const draft = latest?.status === 'draft' ? latest : undefined;
  const quoteId = await draftQuote(work, tx, scope, experiment.id, price, draft);
  return { price, quoteId };
}

/**
 * Opens a draft: it never changes afterwards. Buyer and tax are read together at this moment, and the invoice takes
 * both from the quote.
 */
export async function openQuote(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experiment: Pick<ExperimentRow, 'id' | 'code' | 'organization_id' | 'payment_method'>,
  { quoteId, terms: { parties, tax } }: { readonly quoteId: string; readonly terms: Terms },
): Promise<QuoteRow> {
  const draft = await findQuote(scope, tx, quoteId);
  if (draft === undefined) throw new Error(`the quote ${quoteId} was not found when it was opened`);
  const totals = computeTotals(draft.line_items, tax);
  const quote = await markOpen(scope, tx, quoteId, { parties, tax, totals, at: work.clock.now() });
  const { organization_id, payment_method } = experiment;
  await mirrorQuote(work, tx, { id: quoteId, organization_id, payment_method });
  await addUpdate(work, tx, experiment, {
    event: 'quote.opened',
    name: 'Quote opened',
    description: quoteId,
    details: describeQuote(quote, { previous: 'draft', current: 'open' }),
  });
  return quote;
}

/** Moves an experiment that waits for confirmation to `quote_sent`; its quote is open already. */
export async function sendQuote(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experiment: ExperimentRow,
): Promise<ExperimentRow> {
  if (experiment.status !== 'waiting_for_confirmation') return experiment;
  return transitionExperiment(work, tx, scope, experiment, {
    trigger: 'open_quote',
    actor: 'service',
    action: 'be quoted',
  });
}

/** A creation with `skip_draft` answers `waiting_for_confirmation`; the worker sends its quote right after. */
export async function scheduleSendQuote(
  work: Work,
  tx: Transaction,
  scope: OrganizationScope,
  experimentId: string,
): Promise<void> {
  const now = work.clock.now();
  const job = { kind: SEND_QUOTE, payload: { experiment_id: experimentId }, dueAt: now };
  await enqueue(scope, tx, job, now);
}
