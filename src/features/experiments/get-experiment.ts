/** `GET /experiments/{experiment_id}`: the record with its older field names, from one statement. */
import type { ReadContext, Site } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { getTurn, listOtherTurns, describeTurn } from '#core/lifecycle.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { getExperiment as operation, ExpInfo } from './contract.ts';
import { findOfferedDate } from './expected-dates.ts';
import { findDetail, type DetailRow } from './shown-store.ts';
import { findHostedUrl, buildInvoicedCosts } from '../invoices/wire.ts';
import type { ExperimentCosts } from '../pricing/contract.ts';
import { describeEstimate } from '../pricing/rules.ts';
import { UNTAXED } from '../pricing/totals.ts';
import type { OrderedSequence } from '../sequences/contract.ts';
import { findPrice, buildTargetReference } from './price-experiment.ts';

/** `GET /experiments/{experiment_id}`. */
export async function getExperiment(input: Input<typeof operation>, context: ReadContext) {
  const row = await findDetail(getScope(context.principal), context.sql, input.params.experiment_id);
  if (row === undefined) throw fail('experiment_not_found');
  const costs = buildCosts(context.site, row) ?? (await findEstimate(row, context));
  const eta =
    row.status === 'draft'
      ? await findOfferedDate(context.sql, row.experiment_type, context.clock.now())
      : row.eta;
  return { ...buildDetail(context.site, row), eta, costs };
}

function buildDetail(site: Site, row: DetailRow): Omit<ExpInfo, 'costs' | 'eta'> {
  const target = buildTarget(site, row);
  const { quote } = row;
  const parameters = { experiment_type: row.experiment_type, ...row.parameters };
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    description: row.description,
    status: row.status,
    results_status: row.results_status,
    waiting_on: describeTurn(getTurn(row.status, row.invoice?.status ?? null)),
    also_waiting_on: listOtherTurns(row.status, {
      invoiceStatus: row.invoice?.status ?? null,
      isTargetInReview: row.target_id === null && row.target_request?.status === 'pending_review',
    }).map(describeTurn),
    created_at: row.created_at,
    updated_at: row.updated_at,
    experiment_url: `${site.baseUrl}/experiments/${row.id}`,
    experiment_spec: {
      experiment_type: row.experiment_type,
      method: row.method,
      n_replicates: row.n_replicates,
      antigen_concentrations: row.antigen_concentrations_nm,
      parameters,
      target,
      target_id: row.target_id,
      requested_target: row.requested_target,
      sequences: Object.fromEntries(
        row.sequences.map((sequence) => [sequence.name, toSequenceValue(sequence)]),
      ),
    },
    payment_method: row.payment_method,
    webhook_url: row.webhook_url,
    provider_invoice_url: row.invoice === null ? null : findHostedUrl(site, row.invoice),
    provider_invoice_id: row.invoice?.external_id ?? null,
    provider_quote_id: quote?.id ?? null,
    provider_quote_url: quote === null ? null : `${site.baseUrl}/quotes/${quote.id}`,
    target_id: row.target_id,
    target_name: target?.name ?? null,
    target_supplier_url: target?.supplier_url ?? null,
    n_replicates: row.n_replicates,
    antigen_concentrations: row.antigen_concentrations_nm,
    parameters,
    sequences: row.sequences.map(({ name, aa_string: aaString }) => ({
      name,
      fasta: `>${name}\n${aaString}`,
    })),
    result_id: row.result_id,
  };
}

function buildTarget(site: Site, row: DetailRow) {
  if (row.target === null || row.target_id === null) return null;
  return buildTargetReference(site, {
    id: row.target_id,
    name: row.target.name,
    sequence: row.target.sequence,
  });
}

function toSequenceValue(sequence: DetailRow['sequences'][number]): OrderedSequence {
  const { aa_string: aaString, is_control: control, metadata } = sequence;
  if (!control && metadata === null) return aaString;
  return { aa_string: aaString, control, metadata };
}

/** Builds the latest of invoice, quote and estimate; null without any of them. */
function buildCosts(site: Site, row: DetailRow): ExperimentCosts | null {
  const { invoice, quote } = row;
  if (invoice !== null) return buildInvoicedCosts(site, invoice);
  if (quote === null || quote.status === 'canceled' || quote.status === 'stale') return null;
  if (quote.status === 'draft') {
    const { breakdown, subtotal_cents, tax_cents, total_cents, tax } = quote;
    if (breakdown === null) return null;
    const totals = { subtotal_cents, tax_cents, total_cents, tax: tax ?? UNTAXED };
    return { type: 'estimate', breakdown, totals };
  }
  return {
    type: 'quoted',
    amount_cents: quote.total_cents,
    currency: quote.currency,
    status: quote.status,
    expires_at: quote.valid_until,
    provider_quote_url: `${site.baseUrl}/quotes/${quote.id}`,
  };
}

async function findEstimate(row: DetailRow, context: ReadContext): Promise<ExperimentCosts | null> {
  if (row.status === 'canceled') return null;
  const scope = getScope(context.principal);
  const price = await findPrice(
    context.site,
    scope,
    context.sql,
    {
      experiment_type: row.experiment_type,
      method: row.method,
      target_id: row.target_id,
      requested_target: row.requested_target,
      target_request_id: row.target_request?.id,
      n_replicates: row.n_replicates,
      sequence_count: row.sequence_count,
    },
    context.clock.now(),
  );
  return price.kind === 'unpriced' ? null : describeEstimate(price);
}
