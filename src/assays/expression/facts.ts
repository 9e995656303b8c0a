import type { SoldAssay } from '../facts.ts';

export const expression: SoldAssay = {
  title: 'Expression',
  invoiceName: 'Expression assay',
  hasTarget: false,
  takesConcentrations: false,
  hasPublishedRow: false,
  plots: ['plates'],
  gradedBy: ['yield_ng_per_ul'],
  layouts: ['standard_curve'],
};
