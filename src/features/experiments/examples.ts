/** Examples in the published document. A test validates each against its schema. */
import { EXAMPLE_ADDRESS } from '#core/example-address.ts';

export const EXPERIMENT_ID = '01980000-0000-7000-8000-0000000000e1';
const TARGET_ID = '01980000-0000-7000-8000-000000000001';
const CREATED_AT = '2026-01-20T09:00:00.000Z';
const URL = `${EXAMPLE_ADDRESS}/experiments/${EXPERIMENT_ID}`;
const VHH =
  'QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAAGDY';

const target = { name: 'EGFR', target_catalog_id: TARGET_ID };

const breakdown = {
  assay: {
    experiment_type: 'screening',
    n_replicates: 3,
    replicate_price_cents: 2900,
    sequence_count: 1,
    subtotal_cents: 20700,
    unit_price_cents: 14900,
  },
  materials: {
    type: 'per_sequence' as const,
    price_per_sequence_cents: 500,
    sequence_count: 1,
    subtotal_cents: 500,
    target,
    target_id: TARGET_ID,
    target_name: 'EGFR',
  },
  pricing_version: 'v1_2026-01-20',
  total_cents: 21200,
};

const totals = {
  subtotal_cents: breakdown.total_cents,
  tax_cents: 0,
  total_cents: breakdown.total_cents,
  tax: { name: 'Tax', rate_basis_points: 0, note: '' },
};
const costs = { type: 'estimate' as const, breakdown, totals };

export const createBody = {
  name: 'EGFR binders',
  experiment_spec: {
    experiment_type: 'screening' as const,
    method: 'bli' as const,
    target: 'EGFR',
    sequences: { 'design-1': VHH },
    n_replicates: 3,
  },
};

export const imported = {
  name: 'Expression, round 1',
  experiment_type: 'expression',
  n_replicates: 2,
} as const;

export const created = {
  experiment_id: EXPERIMENT_ID,
  error: null,
  experiment_code: 'DEMO-001-001',
  status: 'draft' as const,
  costs,
};

export const estimate = { breakdown, totals, eta: '2026-03-06T16:00:00.000Z', warnings: [] };

export const listItem = {
  id: EXPERIMENT_ID,
  code: 'DEMO-001-001',
  name: 'EGFR binders',
  status: 'draft' as const,
  results_status: 'none' as const,
  experiment_type: 'screening' as const,
  experiment_url: URL,
  target_id: TARGET_ID,
  target_name: 'EGFR',
  status_since: CREATED_AT,
  sequence_count: 1,
  eta: null,
  created_at: CREATED_AT,
};

export const detail = {
  id: EXPERIMENT_ID,
  code: 'DEMO-001-001',
  name: 'EGFR binders',
  description: null,
  status: 'draft' as const,
  results_status: 'none' as const,
  waiting_on: { actor: 'client' as const, awaiting: 'you submit the experiment' },
  also_waiting_on: [],
  eta: '2026-03-06T16:00:00.000Z',
  created_at: CREATED_AT,
  updated_at: CREATED_AT,
  experiment_url: URL,
  experiment_spec: { ...createBody.experiment_spec, target_id: TARGET_ID, target },
  costs,
  payment_method: 'async_invoice',
  webhook_url: null,
  target_id: TARGET_ID,
  target_name: 'EGFR',
  n_replicates: 3,
  antigen_concentrations: null,
  parameters: { experiment_type: 'screening' },
  sequences: [{ name: 'design-1', fasta: `>design-1\n${VHH}` }],
  result_id: null,
};
