/** The requests about run plans and price lists. */
import type { Builders } from './builders.ts';

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
