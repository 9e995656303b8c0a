/** The result of a screening analysis: plain data, ready to be stored as JSON. */
import type {
  Binding,
  BindingStrength,
  Confidence,
  Expression,
  Outcome,
  PlateQc,
  PlotCurve,
  Provenance,
} from '../affinity/types.ts';
import type { Flag } from '../../quality/flags.ts';
import type { ReferenceRule } from '../binding/kinetics/plate.ts';
import type { Quantity } from '../../quantities/quantity.ts';
import type { TraceRole } from '../../curves/trace.ts';

export interface ReplicateScreening {
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
  /** Response at the highest concentration, divided by loading if the settings say so. */
  response: number | null;
  threshold: number | null;
  /** Robust standard deviations above the median of the negative controls. */
  zScore: number | null;
  bindingScore: number | null;
  loading: number | null;
  noise: number | null;
  pctTheoreticalRmax: number | null;
  confidence: Confidence;
  flags: Flag[];
  /** Response at each usable concentration, ascending. */
  doses: { concentrationM: number; response: number }[];
  curves: PlotCurve[];
  /** The curves in stored form, in place of `curves`, if a worker packed them. */
  packedCurves: Uint8Array | null;
}

export interface SequenceScreening {
  sample: string;
  role: TraceRole;
  isControl: boolean;
  outcome: Outcome;
  binding: Binding;
  /** From the estimated KD; `none` for non-binders, null when unknown. */
  bindingStrength: BindingStrength | null;
  /** Rank by binding score among binders. */
  place: number | null;
  bindingScore: number | null;
  expression: Expression;
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
  nReplicates: number;
  nReplicatesPassed: number;
  concentrationsM: number[];
  flags: Flag[];
  replicates: ReplicateScreening[];
}

export interface ScreeningAnalysis {
  experimentType: 'screening';
  analysis: Provenance;
  notices: string[];
  plates: PlateQc[];
  sequences: SequenceScreening[];
  controls: SequenceScreening[];
}
