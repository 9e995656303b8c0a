/**
 * The entry of expression in the registry: what the lab sells, and the parts that load when they are needed.
 * This folder: everything of expression: analysis, result, figure, words, columns, simulated run. Not here: what assays share.
 */
import type { Assay } from '../assay.ts';
import type { expression as engine } from './engine/assay.ts';
import type { ExpressionResult } from './row.ts';

export const expression: Assay<typeof engine, typeof ExpressionResult> = {
  title: 'Expression',
  invoiceName: 'Expression assay',
  hasTarget: false,
  takesConcentrations: false,
  hasPublishedRow: false,
  plots: ['plates'],
  gradedBy: ['yield_ng_per_ul'],
  layouts: ['standard_curve'],
  label: 'Expression: yield',
  templates: ['plate-values', 'plate-reader'],
  offeredAs: 4,
  loadRow: async () => (await import('./row.ts')).ExpressionResult,
  loadEngine: async () => (await import('./engine/assay.ts')).expression,
  loadSimulated: async () => (await import('./simulated.ts')).expression,
  loadShown: async () => (await import('./shown.ts')).expression,
  loadColumns: async () => (await import('./columns.ts')).expression,
};
