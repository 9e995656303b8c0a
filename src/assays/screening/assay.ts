/**
 * Screening as the lab sells it.
 * This folder: everything of screening: analysis, result, figure, words, columns, simulated run. Not here: what it shares with affinity (`binding/`).
 */
import type { SoldAssay } from '../assay.ts';

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
