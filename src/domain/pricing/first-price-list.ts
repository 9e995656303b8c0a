/** The price list of a new installation; a lab adds later versions with their effective dates. */
import { ASSAYS, assayNames } from '#domain/assays/registry.ts';

export const FIRST_PRICE_LIST = {
  version: 'v1_2026-01-20',
  effectiveFrom: new Date('2026-01-20T00:00:00.000Z'),
  prices: Object.fromEntries(assayNames.map((name) => [name, ASSAYS[name].firstPrice])),
};
