import type { WellsFamily } from './family.ts';
export const EXPRESSION_FAMILIES: readonly WellsFamily[] = [];
