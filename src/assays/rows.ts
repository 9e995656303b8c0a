import { ExpressionResult } from './expression/row.ts';
import { FluorescenceResult } from './fluorescence/row.ts';
import { ThermostabilityResult } from './thermostability/row.ts';

/** Summary rows of the assays other than affinity and screening. */
export const ASSAY_ROWS = [ThermostabilityResult, ExpressionResult, FluorescenceResult] as const;
