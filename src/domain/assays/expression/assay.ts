/**
 * This folder: expression as it is sold. Not here: how it is measured.
 */
import type { SoldAssay } from '../assay.ts';

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
