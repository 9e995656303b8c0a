/** Every family of runs of wells. */
import type { WellsFamily } from './family.ts';
import { EXPRESSION_FAMILIES } from './expression-families.ts';
import { FLUORESCENCE_FAMILIES } from './fluorescence-families.ts';
import { CHANNEL_FAMILIES } from './melt-channels.ts';
import { MELT_FAMILIES } from './melt-families.ts';
import { HOSTILE_MELT_FAMILIES } from './melt-hostile.ts';

export const WELLS_FAMILIES: readonly WellsFamily[] = [
  ...MELT_FAMILIES,
  ...HOSTILE_MELT_FAMILIES,
  ...CHANNEL_FAMILIES,
  ...EXPRESSION_FAMILIES,
  ...FLUORESCENCE_FAMILIES,
];
