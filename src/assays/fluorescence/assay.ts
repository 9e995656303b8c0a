/**
 * The entry of fluorescence in the registry: what the lab sells, and the parts that load when they are needed.
 * This folder: everything of fluorescence: analysis, result, figure, words, columns, simulated run. Not here: what assays share.
 */
import type { Assay } from '../assay.ts';
import type { fluorescence as engine } from './engine/assay.ts';
import type { FluorescenceResult } from './row.ts';

export const fluorescence: Assay<typeof engine, typeof FluorescenceResult> = {
  title: 'Fluorescence',
  invoiceName: 'Fluorescence assay',
  hasTarget: false,
  takesConcentrations: false,
  hasPublishedRow: false,
  plots: ['plates'],
  gradedBy: ['normalized_to_control', 'intensity'],
  layouts: ['reader_wells'],
  label: 'Fluorescence: intensity',
  templates: ['plate-values', 'plate-reader'],
  offeredAs: 5,
  loadRow: async () => (await import('./row.ts')).FluorescenceResult,
  loadEngine: async () => (await import('./engine/assay.ts')).fluorescence,
  loadSimulated: async () => (await import('./simulated.ts')).fluorescence,
  loadShown: async () => (await import('./shown.ts')).fluorescence,
  loadColumns: async () => (await import('./columns.ts')).fluorescence,
};
