/**
 * The entry of affinity in the registry: what the lab sells, and the parts that load when they are needed.
 * This folder: everything of affinity: analysis, result, figure, words, columns, simulated run. Not here: what it shares with screening (`binding/`).
 */
import type { Assay } from '../assay.ts';
import type { affinity as engine } from './engine/assay.ts';

export const affinity: Assay<typeof engine> = {
  title: 'Affinity',
  invoiceName: 'Binding affinity assay',
  hasTarget: true,
  targetPreposition: 'to',
  takesConcentrations: true,
  hasPublishedRow: true,
  plots: ['rates'],
  gradedBy: ['kd'],
  layouts: ['sensor_columns', 'cycles'],
  label: 'Affinity: KD, kinetics',
  templates: ['binding-traces'],
  offeredAs: 1,
  loadEngine: async () => (await import('./engine/assay.ts')).affinity,
  loadSimulated: async () => (await import('./simulated.ts')).affinity,
  loadShown: async () => (await import('./shown.ts')).affinity,
  loadColumns: async () => (await import('./columns.ts')).affinity,
};
