/** What a fluorescence analysis returns. */
import type { AssayAnalysis, AssayPlate, AssayReplicate, AssaySequence } from '../assay-types.ts';
import type { Quantity } from '../../quantities/quantity.ts';
import type { Variance } from '../../numerics/moments.ts';
import type { FluorescenceSettings } from './settings.ts';

export interface ReplicateFluorescence extends AssayReplicate {
  /** As read, in the unit of the plate; null where the detector overflowed. */
  raw: number | null;
  /** Less the blank, and corrected where the settings ask for it; a bound below the limit of detection or at saturation. */
  intensity: Quantity | null;
  /** (F − F_blank)/(F_ref − F_blank). */
  normalized: Quantity | null;
  /** Errors that all wells of the plate share, by its blanks and references; null where too few wells tell them. */
  intensityError: Variance | null;
  normalizedError: Variance | null;
  saturated: boolean;
}

export interface SequenceFluorescence extends AssaySequence {
  /** Null where the plates were read at different wavelengths or gains. */
  intensity: Quantity | null;
  intensityUnit: string;
  normalized: Quantity | null;
  /** log2 of the normalised intensity; null where that is only bounded. */
  log2Fold: Quantity | null;
  exNm: number | null;
  emNm: number | null;
  gain: number | null;
  /** The lowest of the plates that the sequence is on. */
  zPrimePlate: number | null;
  saturated: boolean;
  /** Of the intensities of the replicates; of the normalised ones where those are not on one scale. */
  cvPct: number | null;
  replicates: ReplicateFluorescence[];
}

export interface PlateEffects {
  /** Deviation of each row and column from the plate in %, by its name; null without enough wells to tell. */
  rowsPct: Record<string, number> | null;
  columnsPct: Record<string, number> | null;
  /** Median of the wells at the rim over that of the inner wells, less one, in %. */
  edgePct: number | null;
}

export interface FluorescencePlate extends AssayPlate {
  blank: { n: number; mean: number | null; sd: number | null };
  reference: { sample: string | null; n: number; value: number | null };
  dark: { n: number; value: number | null };
  zPrime: number | null;
  /** From medians and MADs: one bad control well does not move it. */
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
