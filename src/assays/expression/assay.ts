/**
 * Expression as the lab sells it.
 * This folder: everything of expression: analysis, result, figure, words, columns, simulated run. Not here: what assays share.
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
