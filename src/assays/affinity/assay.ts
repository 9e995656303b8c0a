/**
 * Affinity as the lab sells it.
 * This folder: everything of affinity: analysis, result, figure, words, columns, simulated run. Not here: what it shares with screening (`binding/`).
 */
import type { SoldAssay } from '../assay.ts';

export const affinity: SoldAssay = {
  title: 'Affinity',
  invoiceName: 'Binding affinity assay',
  hasTarget: true,
  targetPreposition: 'to',
  takesConcentrations: true,
  hasPublishedRow: true,
  plots: ['rates'],
  gradedBy: ['kd'],
  layouts: ['sensor_columns', 'cycles'],
};
