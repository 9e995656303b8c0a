import type { SoldAssay } from '../facts.ts';

export const screening: SoldAssay = {
  title: 'Screening',
  invoiceName: 'Binding screening assay',
  hasTarget: true,
  takesConcentrations: false,
  hasPublishedRow: true,
  plots: ['plates'],
  gradedBy: [],
  layouts: ['sensor_columns', 'cycles'],
};
