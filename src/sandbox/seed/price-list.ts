/** The first price list of a sandbox. */
import { listAssayNames } from '#assays/registry.ts';
import type { PriceListContent } from '#features/pricing/price-list.ts';
import { findSimulatedAssay } from '#assays/simulated.ts';

/** The list counts from this day in every sandbox, so that each has the same version. */
const EFFECTIVE_FROM = '2026-01-20T00:00:00.000Z';

export const seedPriceList: PriceListContent = {
  effective_from: EFFECTIVE_FROM,
  note: 'Prices of the sandbox',
  prices: listAssayNames().flatMap((name) => {
    const simulated = findSimulatedAssay(name);
    return simulated === undefined ? [] : [{ experiment_type: name, method: null, ...simulated.price }];
  }),
  volume_discounts: [],
  materials: [],
};
