/** The result of a fluorescence analysis. */
import type {
  AssayAnalysis,
  AssayPlate,
  AssayReplicate,
  AssaySequence,
} from '#analysis/assays/analysis-records.ts';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import type { Variance } from '#analysis/numerics/statistics.ts';
import type { FluorescenceSettings } from './settings.ts';

export interface ReplicateFluorescence extends AssayReplicate {
  /** Reading in the unit of the plate; null where the detector overflowed. */
  raw: number | null;
  /**
   * Reading minus blank, corrected if the settings ask for it; a limit below the limit of detection or at saturation.
   */
  intensity: Quantity | null;
  /** (F − F_blank)/(F_ref − F_blank). */
  normalized: Quantity | null;
  /**
   * Errors that all wells of the plate share, from its blanks and references; null where too few wells determine
   * them.
   */
  intensityError: Variance | null;
  normalizedError: Variance | null;
  saturated: boolean;
}

export interface SequenceFluorescence extends AssaySequence {
  /** Null if the plates were read at different wavelengths or gains. */
  intensity: Quantity | null;
  intensityUnit: string;
  normalized: Quantity | null;
  /** log2 of the normalized intensity; null where that is only a limit. */
  log2Fold: Quantity | null;
  exNm: number | null;
  emNm: number | null;
  gain: number | null;
  /** The lowest Z′ of the plates with this sequence. */
  zPrimePlate: number | null;
  saturated: boolean;
  /** CV of the intensities of the replicates; of the normalized ones if the intensities have no common scale. */
  cvPct: number | null;
  replicates: ReplicateFluorescence[];
}

export interface PlateEffects {
  /** Deviation of each row and column from the plate in %, by name; null with too few wells. */
  rowsPct: Record<string, number> | null;
  columnsPct: Record<string, number> | null;
  /** Median of the wells at the edge over that of the inner wells, minus one, in %. */
  edgePct: number | null;
}

export interface FluorescencePlate extends AssayPlate {
  blank: { n: number; mean: number | null; sd: number | null };
  reference: { sample: string | null; n: number; value: number | null };
  dark: { n: number; value: number | null };
  zPrime: number | null;
  /** Computed from medians and MADs, so that one bad control well does not change it. */
  zPrimeRobust: number | null;
  limitOfDetection: number | null;
  effects: PlateEffects;
}

export type FluorescenceAnalysis = AssayAnalysis<
  'fluorescence',
  FluorescenceSettings,
  FluorescencePlate,
  SequenceFluorescence
>;
