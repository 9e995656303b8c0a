import type { WellsFamily } from './family.ts';
export const FLUORESCENCE_FAMILIES: readonly WellsFamily[] = [];
