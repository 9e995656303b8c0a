import type { SoldAssay } from '../assay.ts';

export const affinity: SoldAssay = {
  title: 'Affinity',
  invoiceName: 'Binding affinity assay',
  firstPrice: { unit_price_cents: 19_900, replicate_price_cents: 4_900 },
  hasTarget: true,
  takesConcentrations: true,
  hasPublishedRow: true,
  plots: ['rates'],
  layouts: ['sensor_columns', 'cycles'],
};
