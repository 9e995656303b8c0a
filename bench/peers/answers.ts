/** The answers of the measured requests, written out by hand over rows of the service's own statements. */
import { describeTurn, getTurn, listOtherTurns } from '#core/lifecycle.ts';
import type { DetailRow } from '#features/experiments/shown-store.ts';
import type { Stored } from './statements.ts';

function buildCosts(row: DetailRow, baseUrl: string): unknown {
  const { quote } = row;
  if (quote === null) return null;
  if (quote.status === 'draft') return { type: 'estimate', breakdown: quote.breakdown };
  return {
    type: 'quoted',
    amount_cents: quote.total_cents,
    currency: quote.currency,
    status: quote.status,
    expires_at: quote.valid_until,
    provider_quote_url: `${baseUrl}/quotes/${quote.id}`,
  };
}

/** An experiment that has a target and at most a quote. */
export function buildExperimentAnswer(row: DetailRow, baseUrl: string): unknown {
  const url = `${baseUrl}/targets/${row.target_id ?? ''}`;
  const target = {
    name: row.target?.name,
    sequence: row.target?.sequence ?? null,
    supplier_url: url,
    target_catalog_id: row.target_id,
  };
  const quote = row.quote?.status === 'draft' ? null : row.quote;
  const parameters = { experiment_type: row.experiment_type, ...row.parameters };
  const sequences: Record<string, unknown> = {};
  for (const { name, aa_string, is_control, metadata } of row.sequences) {
    sequences[name] =
      !is_control && metadata === null ? aa_string : { aa_string, control: is_control, metadata };
  }
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
    experiment_url: `${baseUrl}/experiments/${row.id}`,
    experiment_spec: {
      experiment_type: row.experiment_type,
      method: row.method,
      n_replicates: row.n_replicates,
      antigen_concentrations: row.antigen_concentrations_nm,
      parameters,
      target,
      target_id: row.target_id,
      requested_target: row.requested_target,
      sequences,
    },
    payment_method: row.payment_method,
    webhook_url: row.webhook_url,
    provider_invoice_url: null,
    provider_invoice_id: null,
    provider_quote_id: quote?.id ?? null,
    provider_quote_url: quote === null ? null : `${baseUrl}/quotes/${quote.id}`,
    target_id: row.target_id,
    target_name: target.name,
    target_supplier_url: url,
    n_replicates: row.n_replicates,
    antigen_concentrations: row.antigen_concentrations_nm,
    parameters,
    sequences: row.sequences.map(({ name, aa_string }) => ({ name, fasta: `>${name}\n${aa_string}` })),
    result_id: row.result_id,
    costs: buildCosts(row, baseUrl),
  };
}

export function buildCreatedAnswer({ id, code, price }: Stored): unknown {
  return {
    experiment_id: id,
    error: null,
    experiment_code: code,
    status: 'draft',
    costs: price.kind === 'complete' ? { type: 'estimate', breakdown: price.breakdown } : null,
  };
}
