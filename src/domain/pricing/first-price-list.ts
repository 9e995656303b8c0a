/** The price list a new installation starts with; a lab adds its own versions with a later effective date. */
import { ASSAYS, assayNames } from '#domain/assays/registry.ts';

export const FIRST_PRICE_LIST = {
  version: 'v1_2026-01-20',
  effectiveFrom: new Date('2026-01-20T00:00:00.000Z'),
  prices: Object.fromEntries(assayNames.map((name) => [name, ASSAYS[name].firstPrice])),
};
