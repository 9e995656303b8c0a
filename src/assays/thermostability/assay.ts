/**
 * Thermostability as the lab sells it.
 * This folder: everything of thermostability: analysis, result, figure, words, columns, simulated run. Not here: what assays share.
 */
import type { SoldAssay } from '../assay.ts';

export const thermostability: SoldAssay = {
  title: 'Thermostability',
  invoiceName: 'Thermostability assay',
  hasTarget: false,
  takesConcentrations: false,
  hasPublishedRow: true,
  plots: ['melts'],
  gradedBy: ['tm'],
  layouts: ['capillaries', 'melt_wells'],
};
