/**
 * The entry of screening in the registry: what the lab sells, and the parts that load when they are needed.
 * This folder: everything of screening: analysis, result, figure, words, columns, simulated run. Not here: what it shares with affinity (`binding/`).
 */
import type { Assay } from '../assay.ts';
import type { screening as engine } from './engine/assay.ts';

export const screening: Assay<typeof engine> = {
  title: 'Screening',
  invoiceName: 'Binding screening assay',
  hasTarget: true,
  takesConcentrations: false,
  hasPublishedRow: true,
  plots: ['plates'],
  gradedBy: [],
  layouts: ['sensor_columns', 'cycles'],
  label: 'Screening: binds or not',
  templates: ['binding-traces'],
  offeredAs: 2,
  loadEngine: async () => (await import('./engine/assay.ts')).screening,
  loadSimulated: async () => (await import('./simulated.ts')).screening,
  loadShown: async () => (await import('./shown.ts')).screening,
  loadColumns: async () => (await import('./columns.ts')).screening,
};
