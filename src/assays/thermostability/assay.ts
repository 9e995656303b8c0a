/**
 * The entry of thermostability in the registry: what the lab sells, and the parts that load when they are needed.
 * This folder: everything of thermostability: analysis, result, figure, words, columns, simulated run. Not here: what assays share.
 */
import type { Assay } from '../assay.ts';
import type { thermostability as engine } from './engine/assay.ts';
import type { ThermostabilityResult } from './row.ts';

export const thermostability: Assay<typeof engine, typeof ThermostabilityResult> = {
  title: 'Thermostability',
  invoiceName: 'Thermostability assay',
  hasTarget: false,
  takesConcentrations: false,
  hasPublishedRow: true,
  plots: ['melts'],
  gradedBy: ['tm'],
  layouts: ['capillaries', 'melt_wells'],
  label: 'Thermostability: Tm',
  templates: ['melting-curves', 'temperature-by-well'],
  offeredAs: 3,
  loadRow: async () => (await import('./row.ts')).ThermostabilityResult,
  loadEngine: async () => (await import('./engine/assay.ts')).thermostability,
  loadSimulated: async () => (await import('./simulated.ts')).thermostability,
  loadShown: async () => (await import('./shown.ts')).thermostability,
  loadColumns: async () => (await import('./columns.ts')).thermostability,
};
