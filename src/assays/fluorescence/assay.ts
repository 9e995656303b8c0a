/**
 * Fluorescence as the lab sells it.
 * This folder: everything of fluorescence: analysis, result, figure, words, columns, simulated run. Not here: what assays share.
 */
import type { SoldAssay } from '../assay.ts';

export const fluorescence: SoldAssay = {
  title: 'Fluorescence',
  invoiceName: 'Fluorescence assay',
  hasTarget: false,
  takesConcentrations: false,
  hasPublishedRow: false,
  plots: ['plates'],
  gradedBy: ['normalized_to_control', 'intensity'],
  layouts: ['reader_wells'],
};
