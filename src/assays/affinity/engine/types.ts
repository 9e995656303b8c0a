/** The result of an affinity analysis: plain data, ready to be stored as JSON. */
import type { Quantity } from '#analysis/quantities/quantity.ts';
import type { BindingModel } from '../../binding/engine/kinetics/evidence.ts';
import type { FitKind } from '../../binding/engine/kinetics/measure.ts';
import type { FitSummary, Grade } from '../../binding/engine/kinetics/summary.ts';
import type { BindingAnalysis, BindingReplicate, BindingSequence } from '../../binding/engine/types.ts';

export interface ReplicateAffinity extends BindingReplicate {
  responseThreshold: number | null;
  fitKind: FitKind | null;
  kd: Quantity | null;
  kon: Quantity | null;
  koff: Quantity | null;
  rmax: Quantity | null;
  kdSteadyState: Quantity | null;
  fit: FitSummary | null;
  fitQuality: Grade | null;
}

export interface Comparison {
  /** Name of the positive control. */
  control: string;
  /** log10(KD / KD of the control): negative is tighter. */
  log10Delta: number | null;
  /** KD of the control divided by KD: above 1 is tighter. */
  foldTighter: number | null;
  verdict: 'better' | 'comparable' | 'worse' | 'not_comparable';
}

/** Its place is by KD among measured samples, 1 is tightest. */
export interface SequenceAffinity extends BindingSequence<ReplicateAffinity> {
  /** Geometric means over measured replicates. */
  kd: Quantity | null;
  kon: Quantity | null;
  koff: Quantity | null;
  rmax: Quantity | null;
  kdSteadyState: Quantity | null;
  /** Arithmetic mean of the replicates' KD in M, for comparison with published tables. */
  kdArithmeticMeanM: number | null;
  /** Geometric coefficient of variation of KD over replicates. */
  kdGeometricCv: number | null;
  fitKind: FitKind | null;
  /** Models of the measured replicates, without repetition. */
  models: (BindingModel | 'steady_state')[];
  /** Lowest R² over the measured replicates. */
  r2: number | null;
  chi2: number | null;
  rmsPctRmax: number | null;
  fitQuality: Grade | null;
  performance: Comparison[];
}

export type AffinityAnalysis = BindingAnalysis<'affinity', SequenceAffinity>;
