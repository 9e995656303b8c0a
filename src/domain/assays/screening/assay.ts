import type { SoldAssay } from '../assay.ts';

export const screening: SoldAssay = {
  title: 'Screening',
  invoiceName: 'Binding screening assay',
  firstPrice: { unit_price_cents: 14_900, replicate_price_cents: 2_900 },
  hasTarget: true,
  takesConcentrations: false,
  hasPublishedRow: true,
  plots: ['plates'],
  layouts: ['sensor_columns', 'cycles'],
};
