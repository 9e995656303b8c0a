/** The result of an affinity analysis: plain data, ready to be stored as JSON. */
import type { Flag } from '../../quality/flags.ts';
import type { Site } from '../binding/kinetics/alternative-fit.ts';
import type { BindingModel, Candidate } from '../binding/kinetics/evidence.ts';
import type { ProfileInterval } from '../binding/kinetics/fit.ts';
import type { TimeZero } from '../binding/kinetics/model.ts';
import type { ReferenceRule } from '../binding/kinetics/plate.ts';
import type { RmaxRule } from '../binding/kinetics/problem.ts';
import type { Quantity } from '../../quantities/quantity.ts';
import type { BindingSettings } from '../binding/settings.ts';
import type { Technique, TraceRole } from '../../curves/trace.ts';

export type Outcome = 'measured' | 'non_binder' | 'not_expressed' | 'failed_qc' | 'not_tested';
export type Binding = 'binder' | 'non_binder' | 'inconclusive' | 'unknown';
export type BindingStrength = 'strong' | 'medium' | 'weak' | 'none';
export type FitKind = 'kinetic' | 'steady_state';
export type Expression = 'expressed' | 'low' | 'none' | 'unknown';
export type Grade = 'good' | 'fair' | 'poor';
export type Confidence = 'high' | 'medium' | 'low';

export interface PlotCurve {
  traceId: string;
  well: string | null;
  concentrationM: number;
  /** Times in s since the nominal start of association. */
  timeS: number[];
  signal: number[];
  /** Null without a kinetic fit. */
  fit: number[] | null;
  residual: number[] | null;
  associationS: number;
  rmax: number | null;
  response: number;
  /** Left out of the fit because of spikes. */
  excluded: boolean;
}

export interface FitSummary {
  kind: FitKind;
  /** The fitted model: chosen by evidence or required by the settings. */
  model: BindingModel | 'steady_state';
  /** Every model that was fitted, with its evidence against 1:1. */
  candidates: Candidate[];
  /** Kinds of binding sites, the larger fraction first; only for a heterogeneous ligand. */
  sites: Site[];
  /** All concentrations were injected one after another over one surface. */
  singleCycle: boolean;
  rmaxRule: RmaxRule;
  referenceRule: ReferenceRule;
  /**
   * Whether a drift or a refractive-index step per curve was part of the fit, required by the settings or chosen by
   * evidence.
   */
  drift: boolean;
  bulkShift: boolean;
  /** Best values of the fit, before they are replaced by limits. */
  konPerMS: number | null;
  koffPerS: number | null;
  kdM: number;
  /** Rmax per fitted curve and its standard error in the signal unit, with ascending concentration. */
  rmax: { concentrationM: number; value: number; se: number | null }[];
  /**
   * Standard errors of ln kon, ln koff, ln KD from the covariance, and the factor by which correlated noise widens
   * that of ln KD.
   */
  seLnKon: number | null;
  seLnKoff: number | null;
  seLnKd: number | null;
  seInflation: number | null;
  correlation: number | null;
  conditionNumber: number | null;
  profile: ProfileInterval | null;
  r2: number;
  chi2: number | null;
  rms: number | null;
  rmsPctRmax: number | null;
  durbinWatson: number | null;
  points: number;
  parameters: number;
  converged: boolean;
  timeZero: TimeZero;
  /** Fitted windows, in s. */
  associationS: number;
  dissociationS: number;
}

export interface ReplicateAffinity {
  sample: string;
  role: TraceRole;
  replicate: number;
  plate: string;
  wells: string[];
  traceIds: string[];
  concentrationsM: number[];
  outcome: Outcome;
  binding: Binding;
  expression: Expression;
  /** What was subtracted from the curves; null if none could be processed. */
  referenceRule: ReferenceRule | null;
  /** Response at the highest usable concentration, its threshold, and log2 of their ratio clipped to −5…8. */
  response: number | null;
  responseThreshold: number | null;
  bindingScore: number | null;
  noise: number | null;
  loading: number | null;
  fitKind: FitKind | null;
  kd: Quantity | null;
  kon: Quantity | null;
  koff: Quantity | null;
  rmax: Quantity | null;
  kdSteadyState: Quantity | null;
  fit: FitSummary | null;
  fitQuality: Grade | null;
  confidence: Confidence;
  flags: Flag[];
  curves: PlotCurve[];
  /** The curves in stored form, in place of `curves`, if a worker packed them. */
  packedCurves: Uint8Array | null;
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

export interface SequenceAffinity {
  sample: string;
  role: TraceRole;
  isControl: boolean;
  outcome: Outcome;
  binding: Binding;
  bindingStrength: BindingStrength | null;
  /** Rank by KD among measured samples, 1 is tightest; null without KD. */
  place: number | null;
  bindingScore: number | null;
  expression: Expression;
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
  nReplicates: number;
  nReplicatesPassed: number;
  concentrationsM: number[];
  performance: Comparison[];
  flags: Flag[];
  replicates: ReplicateAffinity[];
}

/** The quality control of a plate in every binding assay. */
export interface PlateQc {
  plate: string;
  technique: Technique | null;
  instrument: string | null;
  signalUnit: string | null;
  pass: boolean;
  noise: number;
  negativeControls: { n: number; median: number | null; robustSd: number | null };
  positiveControls: {
    sample: string;
    outcome: Outcome;
    kdM: number | null;
    expectedKdM: number | null;
    pass: boolean;
  }[];
  expressedMin: number | null;
  flags: Flag[];
}

export interface InputFileRecord {
  name: string;
  bytes: number;
  sha256: string;
}

export interface Provenance {
  engine: { name: string; version: string };
  /** The rule by which models were chosen; each fit states its model. */
  model: BindingSettings['model'];
  settings: BindingSettings;
  inputs: InputFileRecord[];
}

/** The result of one batch of files, before replicates are combined to sequences. */
export interface BindingPart<Replicate> {
  notices: string[];
  plates: PlateQc[];
  replicates: Replicate[];
  /** Assignments of the settings that matched a trace. */
  assigned: string[];
}

export interface AffinityAnalysis {
  experimentType: 'affinity';
  analysis: Provenance;
  notices: string[];
  plates: PlateQc[];
  /** Samples in the order of the files. */
  sequences: SequenceAffinity[];
  controls: SequenceAffinity[];
}
