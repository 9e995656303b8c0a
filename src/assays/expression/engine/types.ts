/** The result of an expression analysis. */
import type {
  AssayAnalysis,
  AssayPlate,
  AssayReplicate,
  AssaySequence,
} from '#analysis/assays/analysis-records.ts';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import type { LevelRecovery } from './quantification-range.ts';
import type { ExpressionSettings } from './settings.ts';

export type Quantification = 'bli_capture' | 'a280';
export type ExpressionClass = 'none' | 'low' | 'medium' | 'high';

export interface ReplicateExpression extends AssayReplicate {
  /** Yield in ng/µL of the undiluted reaction; a limit outside the quantification range. */
  yield: Quantity | null;
  /**
   * Standard error of ln(yield) from the measurement itself; the next is that of the standard curve, which all wells
   * share.
   */
  seOwnLn: number | null;
  seSharedLn: number | null;
  /** Degrees of freedom of both where they come from few wells; null where they are large. */
  seFreedom: number | null;
  /** Initial rate in signal per s, or absorbance; before and after subtracting the control without DNA. */
  response: number | null;
  responseAdjusted: number | null;
}

export interface SequenceExpression extends AssaySequence {
  yield: Quantity | null;
  yieldUg: Quantity | null;
  molarUm: Quantity | null;
  expressionClass: ExpressionClass | null;
  /** Null where the assay cannot decide. */
  expressed: boolean | null;
  lloqNgPerUl: number | null;
  uloqNgPerUl: number | null;
  quantification: Quantification;
  response: number | null;
  isNoDnaSubtracted: boolean;
  replicates: ReplicateExpression[];
}

export interface StandardCurve {
  a: number;
  b: number;
  cNgPerUl: number;
  d: number;
  r2: number;
  lloqNgPerUl: number | null;
  uloqNgPerUl: number | null;
  levels: LevelRecovery[];
}

export interface ExpressionPlate extends AssayPlate {
  standardCurve: StandardCurve | null;
  noDna: { n: number; mean: number | null; sd: number | null };
}

export type ExpressionAnalysis = AssayAnalysis<
  'expression',
  ExpressionSettings,
  ExpressionPlate,
  SequenceExpression
>;
