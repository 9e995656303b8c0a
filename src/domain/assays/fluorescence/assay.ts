/**
 * This folder: fluorescence as it is sold. Not here: how it is measured.
 */
import type { SoldAssay } from '../assay.ts';

export const fluorescence: SoldAssay = {
  title: 'Fluorescence',
  invoiceName: 'Fluorescence assay',
  firstPrice: { unit_price_cents: 8_900, replicate_price_cents: 1_700 },
  hasTarget: false,
  takesConcentrations: false,
  hasPublishedRow: false,
  plots: ['plates'],
  layouts: ['reader_wells'],
};
