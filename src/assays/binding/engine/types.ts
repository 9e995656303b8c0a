/** What the analyses of affinity and of screening have in common. Plain data, ready to be stored as JSON. */
import type { BindingStrength } from '#core/binding-strength.ts';
import type { RankRange } from '#core/ranking.ts';
import type { AssayProvenance, Confidence, Outcome } from '#analysis/assays/analysis-records.ts';
import type { ExcludedReplicate, PlateControls } from '#analysis/assays/exclusions.ts';
import type { KeptCurves, PlotCurve } from '#analysis/curves/packed-curves.ts';
import type { Technique, TraceRole } from '#analysis/curves/trace.ts';
import type { Flag } from '#analysis/quality/flags.ts';
import type { DetectionBasis } from './detectable.ts';
import type { ReferenceRule } from './kinetics/reference-rule.ts';
import type { BindingSettings } from './settings.ts';

export type Binding = 'binder' | 'non_binder' | 'inconclusive' | 'unknown';
export type { BindingStrength };
export type Expression = 'expressed' | 'low' | 'none' | 'unknown';

export interface BindingReplicate {
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
  /** At the highest usable concentration. */
  response: number | null;
  /** Returns log2 of the response over its threshold, clipped to −5…8. */
  bindingScore: number | null;
  loading: number | null;
  noise: number | null;
  /** The weakest KD that would have been seen; null where there is a response, and where nothing says how large one would be. */
  kdDetectableM: number | null;
  kdDetectableBasis: DetectionBasis | null;
  confidence: Confidence;
  flags: Flag[];
  curves: PlotCurve[];
  /** The curves in stored form, in place of `curves`, if a worker packed them. */
  packedCurves: KeptCurves | null;
}

export interface BindingSequence<Replicate extends BindingReplicate = BindingReplicate> {
  sample: string;
  role: TraceRole;
  isControl: boolean;
  outcome: Outcome;
  binding: Binding;
  /** From KD or its estimate; `none` for non-binders, null when unknown. */
  bindingStrength: BindingStrength | null;
  /** 1 is best; null without what the assay ranks by. */
  place: number | null;
  /** What it is ranked by; null without a place. */
  rankRange: RankRange | null;
  bindingScore: number | null;
  expression: Expression;
  nReplicates: number;
  nReplicatesPassed: number;
  concentrationsM: number[];
  /** Of the replicate that would have shown the least. */
  kdDetectableM: number | null;
  kdDetectableBasis: DetectionBasis | null;
  flags: Flag[];
  replicates: Replicate[];
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
    /** It was measured and did not give its known result, so no result of the plate is firm. */
    missed: boolean;
  }[];
  expressedMin: number | null;
  flags: Flag[];
}

/** A replicate that people left out whole, and how many curves with analyte its files have. */
export interface LeftOutReplicate {
  sample: string;
  plate: string;
  replicate: number;
  nCurves: number;
}

/** The result of one batch of files, before replicates are combined to sequences. */
export interface BindingPart<Replicate> {
  notices: string[];
  plates: PlateQc[];
  replicates: Replicate[];
  /** Traces that neither their file nor the settings give a sample. */
  unnamed: string[];
  /** Assignments of the settings that matched a trace. */
  assigned: string[];
  /** Replicates that were left out. */
  excluded: ExcludedReplicate[];
  leftOut: LeftOutReplicate[];
  controls: PlateControls[];
}

export interface BindingAnalysis<Type extends string = string, Sequence = BindingSequence> {
  experimentType: Type;
  /** Its model is the rule by which models were chosen; each fit says which it is. */
  analysis: AssayProvenance<BindingSettings>;
  notices: string[];
  leftOut: LeftOutReplicate[];
  plates: PlateQc[];
  /** Samples in the order of the files. */
  sequences: Sequence[];
  controls: Sequence[];
}
