/** The result of a screening analysis: plain data, ready to be stored as JSON. */
import type { Quantity } from '#analysis/quantities/quantity.ts';
import type { BindingAnalysis, BindingReplicate, BindingSequence } from '../../binding/engine/types.ts';

/** Its response is divided by the loading where the settings say so. */
export interface ReplicateScreening extends BindingReplicate {
  threshold: number | null;
  /** Robust standard deviations above the median of the negative controls. */
  zScore: number | null;
  pctTheoreticalRmax: number | null;
  /** KD by a fit of the curves, of a positive control whose KD is known; null for others. */
  controlKd: Quantity | null;
  /** Response at each usable concentration, ascending. */
  doses: { concentrationM: number; response: number }[];
}

/** Its place is by z-score among binders. */
export interface SequenceScreening extends BindingSequence<ReplicateScreening> {
  /** Mean over usable replicates. */
  response: number | null;
  responseSd: number | null;
  responseUnit: string;
  threshold: number | null;
  zScore: number | null;
  loadingLevel: number | null;
  pctTheoreticalRmax: number | null;
  /** KD from two or more concentrations, always with relation `~`; never mixed with measured affinity. */
  kdEstimate: Quantity | null;
}

export type ScreeningAnalysis = BindingAnalysis<'screening', SequenceScreening>;
