const RESULT_ID = '01980000-0000-7000-8000-000000000d01';
const TARGET_ID = '01980000-0000-7000-8000-000000000001';
const BASE = `http://127.0.0.1:8080/api/v1/results/${RESULT_ID}`;

const kd = { value: 9.3e-9, unit: 'M', relation: '=' as const, ci95_low: 8.1e-9, ci95_high: 1.07e-8, log10_sd: 0.05, n: 3 };

export const result = {
  id: RESULT_ID,
  title: 'Affinity of design-1 to EGFR',
  experiment_id: '01980000-0000-7000-8000-0000000000e1',
  experiment_code: 'DEMO-001-001',
  experiment_type: 'affinity',
  result_type: 'affinity',
  sequence_id: '01980000-0000-7000-8000-0000000000a1',
  sequence_name: 'design-1',
  is_control: false,
  target_id: TARGET_ID,
  target_name: 'EGFR',
  method: 'bli',
  instrument: 'Simulated BLI',
  status: 'final' as const,
  version: 1,
  outcome: 'measured' as const,
  binding_score: 4.1,
  place: 1,
  n_replicates: 3,
  n_replicates_passed: 3,
  qc: { pass: true, flags: [] },
  quantities: { kd },
  summary: [
    {
      result_type: 'affinity' as const,
      binding: 'true',
      binding_strength: 'strong',
      kd_mean: 9.3e-9,
      kd_log_std: 0.05,
      kd_units: 'M',
      performance: {},
      place: 1,
      positive_control: false,
      replicates: [{ replicate: 1, kd: 9.1e-9, binding: 'true' }],
      sequence: { name: 'design-1', aa_string: 'QVQLVESGGGLVQAGGSLRLSCAAS' },
      target: { name: 'EGFR', target_catalog_id: TARGET_ID },
      target_id: TARGET_ID,
    },
  ],
  metadata: {},
  analysis: { engine: 'assayer', model: '1:1' },
  curves_url: `${BASE}/curves`,
  plot_url: `${BASE}/plot.svg`,
  created_at: '2026-01-25T09:00:00.000Z',
  updated_at: '2026-01-25T09:00:00.000Z',
};
