/** The requests by which staff read what the lab has. */
import type { Builders } from './builders.ts';
import type { Records } from './requests.ts';

export function listLabReads({
  released,
  resultId,
  targetRequestId,
  controlPlotPath,
}: Records): Readonly<Record<string, string>> {
  return {
    list_all_audit: '/lab/audit',
    list_feedback: '/lab/feedback',
    list_lab_target_requests: '/lab/target-requests',
    get_lab_target_request: `/lab/target-requests/${targetRequestId}`,
    get_any_quote_pdf: `/lab/quotes/${released.quoteId}/pdf`,
    list_staff: '/lab/staff',
    get_simulated_lab: '/lab/simulated-lab',
    list_jobs: '/lab/jobs',
    list_lab_organizations: '/lab/organizations',
    list_lab_targets: '/lab/targets',
    list_lab_assay_types: '/lab/assay-types',
    list_price_lists: '/lab/price-lists',
    get_catalog_file: '/lab/targets/export',
    list_lab_experiments: '/lab/experiments',
    get_lab_experiment: `/lab/experiments/${released.code}`,
    get_lab_sequences: `/lab/experiments/${released.code}/sequences`,
    get_lab_materials: `/lab/experiments/${released.code}/materials`,
    list_lab_materials: '/lab/materials',
    list_lab_runs: '/lab/runs',
    list_all_quotes: '/lab/quotes',
    get_any_quote: `/lab/quotes/${released.quoteId}`,
    get_organization_billing: `/lab/organizations/${released.organizationId}/billing`,
    list_tax_rates: '/lab/tax-rates',
    list_all_invoices: '/lab/invoices',
    ...listReviewReads(released.code, resultId),
    list_raw_files: `/lab/experiments/${released.code}/files`,
    get_raw_file_mapping: `/lab/experiments/${released.code}/mapping`,
    list_control_charts: '/lab/control-charts',
    get_control_chart_plot: controlPlotPath,
    get_any_invoice: `/lab/invoices/${released.invoiceId}`,
    list_refunds: '/lab/refunds',
  };
}

/** What staff read of a review. */
function listReviewReads(code: string, resultId: string): Readonly<Record<string, string>> {
  const path = `/lab/experiments/${code}`;
  return {
    list_lab_results: `${path}/results`,
    get_lab_result: `${path}/results/${resultId}`,
    get_lab_result_curves: `${path}/results/${resultId}/curves`,
    get_lab_result_plot: `${path}/results/${resultId}/plot.svg`,
    diff_lab_results: `${path}/results/${resultId}/diff?against=1`,
    get_lab_plot: `${path}/plot.svg`,
    get_lab_data_package: `${path}/data-package`,
    get_lab_review: `${path}/review`,
  };
}

export const EMPTY_PLAN = {
  version: 'plan-1',
  seed: 7,
  layout: 'sensor_columns',
  size: 96,
  plates: [{ name: 'P1', wells: [] }],
};

export const createRunRequest = async ({ createInvoiced }: Builders) => ({
  experiment_ids: [(await createInvoiced()).code],
  size: 96,
  concentrations_m: [1e-7],
  controls: { positive: 'positive-protein', negatives: ['negative-1'], standard: null },
});

/** The requests that try a price list, export it, and import one. */
export const priceDraftRequests = {
  compare_order_cost: async ({ createPriceList }: Builders) => {
    const order = 'experiment_type=affinity&sequence_count=24&n_replicates=3';
    return { path: `/lab/price-lists/${await createPriceList()}/order-cost?${order}` };
  },
  get_price_list_file: async ({ createPriceList }: Builders) => ({
    path: `/lab/price-lists/${await createPriceList()}/export`,
  }),
  validate_price_list_import: async () => ({
    path: '/lab/price-lists/import/validate',
    body: { content: 'kind\n' },
  }),
  import_price_list: async () => ({
    path: '/lab/price-lists/import',
    body: {
      content: 'kind,experiment_type,unit_price_cents,replicate_price_cents\nprice,affinity,100,50\n',
      effective_from: '2999-01-01T00:00:00Z',
    },
  }),
};
