/** The result of a thermostability analysis: plain data, ready to be stored as JSON. Temperatures are in °C. */
import type { RankRange } from '#core/ranking.ts';
import type { KeptCurves } from '#analysis/curves/packed-curves.ts';
import type { DoubtCase } from '#core/relations.ts';
import type { Confidence, InputFileRecord, Outcome } from '#analysis/assays/analysis-records.ts';
import type { Flag } from '#analysis/quality/flags.ts';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import type { WellRole } from '#analysis/curves/trace.ts';
import type { InflectionPoint } from './derivative.ts';
import type { BeyondShape } from './doubts.ts';
import type { JointMelt } from './joint-fit.ts';
import type { MeltingSettings, TmMethod } from './settings.ts';

export type NoTransitionReason =
  | 'too_few_points'
  | 'range_too_short'
  | 'constant_signal'
  | 'amplitude_below_noise'
  | 'not_distinct_from_baseline'
  | 'at_range_end'
  | 'width_at_bound'
  | 'signal_returns'
  | 'poorly_determined'
  | 'dye_falls'
  | 'no_inflection';

export interface NoTransition {
  reason: NoTransitionReason;
  /** The sentence in a report. */
  message: string;
}

export interface TransitionSummary {
  tmC: number;
  seTmC: number | null;
  /** Change of signal through the transition; for the derivative method the height of its peak per °C. */
  height: number;
  /** Van 't Hoff enthalpy in kcal/mol; two-state only. */
  dhKcalPerMol: number | null;
  /** `tmC` with its relation and its interval. */
  tm: Quantity;
  /** The part of the standard error of Tm that the replicates share, because the same model leaves the same out. */
  sharedSeC: number;
  /** Why Tm is no measured value with an interval; null where it is one. */
  doubt: TransitionDoubt | null;
}

/** Cases of the table of relations, and a peak whose curvature does not tell how far it may be off. */
export type TransitionDoubt = DoubtCase | 'peak_undetermined';

export interface MeltFitSummary {
  method: 'two_state' | 'boltzmann';
  r2: number;
  rms: number;
  points: number;
  parameters: number;
  /** Lag-one autocorrelation of the residuals; it widens every standard error. */
  autocorrelation: number;
  converged: boolean;
  foldedSlopePerC: number;
  unfoldedSlopePerC: number;
  /** Range of the fitted temperatures. */
  fromC: number;
  toC: number;
}

export interface MeltPlotCurve {
  channel: string;
  temperatureC: number[];
  signal: number[];
  /** Model values; null outside the fitted temperatures and without a fit. */
  fit: (number | null)[] | null;
  residual: (number | null)[] | null;
  /** Signal per °C. */
  derivative: number[];
  /** Light scattering of the same well, where it was measured. */
  scattering: { temperatureC: number[]; signal: number[]; threshold: number | null } | null;
}

export interface ReplicateMelting {
  sample: string;
  role: WellRole;
  replicate: number;
  plate: string;
  well: string;
  channel: string;
  concentrationM: number | null;
  outcome: Outcome;
  /** Melting temperature of the first transition. */
  tm: Quantity | null;
  /** The part of the standard error of Tm that the replicates share, because the same model leaves the same out. */
  tmSharedSeC: number;
  /** What moves Tm whatever the shape of the step is; null without a Tm. */
  beyondShape: BeyondShape | null;
  /** The fit of all replicates of a weak signal together; null where each is fitted by itself. */
  joint: JointMelt | null;
  /** All transitions, ascending. */
  tmAll: TransitionSummary[];
  /** Peaks of the first derivative, independent of the method that gives Tm. */
  inflectionPoints: InflectionPoint[];
  /** Temperature at which 1 % is unfolded. */
  tonset: Quantity | null;
  tagg: Quantity | null;
  /** Van 't Hoff enthalpy in kcal/mol. */
  dh: Quantity | null;
  noTransition: NoTransition | null;
  /** Mean signal over the first °C. */
  initialSignal: number | null;
  initial330nm: number | null;
  fit: MeltFitSummary | null;
  confidence: Confidence;
  flags: Flag[];
  curve: MeltPlotCurve | null;
  /** The curve as `packed-curves.ts` stores it, without its number. */
  packedCurve: KeptCurves | null;
}

export interface DeltaTm {
  /** Name of the control. */
  control: string;
  /** Tm − Tm of the control: positive is more stable. */
  deltaC: number | null;
  ci95LowC: number | null;
  ci95HighC: number | null;
}

export interface SequenceMelting {
  sample: string;
  role: WellRole;
  isControl: boolean;
  /** Concentration of the ligand in M; wells of one sample at different concentrations are different rows. */
  concentrationM: number | null;
  outcome: Outcome;
  /** Rank by Tm among samples, 1 is the most stable; null without Tm. */
  place: number | null;
  /** What it is ranked by; null without a place. */
  rankRange: RankRange | null;
  /** Arithmetic means over replicates. */
  tm: Quantity | null;
  /** SD (n − 1) of the Tm of the replicates. */
  tmSdC: number | null;
  /** Means over the replicates with the most frequent number of transitions. */
  tmAll: TransitionSummary[];
  tonset: Quantity | null;
  tagg: Quantity | null;
  dh: Quantity | null;
  deltaTm: DeltaTm[];
  /** Lowest R² over the replicates with a Tm. */
  r2: number | null;
  noTransition: NoTransition | null;
  nReplicates: number;
  nReplicatesPassed: number;
  flags: Flag[];
  replicates: ReplicateMelting[];
}

export interface MeltPlateQc {
  plate: string;
  instrument: string | null;
  pass: boolean;
  positiveControls: {
    sample: string;
    tmC: number | null;
    expectedTmC: number | null;
    pass: boolean;
  }[];
  flags: Flag[];
}

export interface MeltingProvenance {
  engine: { name: string; version: string };
  model: TmMethod;
  /** Why this method: the median R² of the curves with a transition, and their number. */
  methodEvidence: { medianR2: number | null; curves: number };
  /** Slopes fitted for all curves with baseline `shared`, per °C. */
  sharedSlopes: { foldedPerC: number; unfoldedPerC: number; converged: boolean } | null;
  settings: MeltingSettings;
  inputs: InputFileRecord[];
}

export interface ThermostabilityAnalysis {
  experimentType: 'thermostability';
  analysis: MeltingProvenance;
  notices: string[];
  plates: MeltPlateQc[];
  /** Samples in the order of the files. */
  sequences: SequenceMelting[];
  controls: SequenceMelting[];
}
