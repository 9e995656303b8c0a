/** The first price list of a sandbox. */
import { assayNames } from '#assays/registry.ts';
import type { PriceListContent } from '#features/pricing/price-list.ts';
import { SIMULATED_ASSAYS } from '#assays/simulated.ts';

/** The list counts from this day in every sandbox, so that each has the same version. */
const EFFECTIVE_FROM = '2026-01-20T00:00:00.000Z';

export const seedPriceList: PriceListContent = {
  effective_from: EFFECTIVE_FROM,
  note: 'Prices of the sandbox',
  prices: assayNames.map((name) => ({
    experiment_type: name,
    method: null,
    ...SIMULATED_ASSAYS[name].price,
  })),
  volume_discounts: [],
  materials: [],
};
