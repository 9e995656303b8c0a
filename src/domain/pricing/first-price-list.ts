/** The price list a new installation starts with; a lab adds its own versions with a later effective date. */
export const FIRST_PRICE_LIST = {
  version: 'v1_2026-01-20',
  effectiveFrom: new Date('2026-01-20T00:00:00.000Z'),
  prices: {
    screening: { unit_price_cents: 14_900, replicate_price_cents: 2_900 },
    affinity: { unit_price_cents: 19_900, replicate_price_cents: 4_900 },
    thermostability: { unit_price_cents: 9_900, replicate_price_cents: 1_900 },
    expression: { unit_price_cents: 7_900, replicate_price_cents: 1_500 },
    fluorescence: { unit_price_cents: 8_900, replicate_price_cents: 1_700 },
  },
} as const;
