/**
 * This folder: thermostability as it is sold. Not here: how it is measured.
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
