/** Types that the assays without a target share. Plain data, ready to be stored as JSON. */
import type { InputFileRecord, Outcome } from './affinity/types.ts';
import type { Flag } from '../quality/flags.ts';
import type { WellRole } from '../curves/trace.ts';

export interface AssayProvenance<Settings> {
  engine: { name: string; version: string };
  model: string;
  settings: Settings;
  inputs: InputFileRecord[];
}

export interface AssayPlate {
  plate: string;
  instrument: string | null;
  signalUnit: string | null;
  pass: boolean;
  flags: Flag[];
  /** Curves that all results of the plate show (standard curve, plate map), in the form of the API. */
  curves: AssayCurve[];
}

export interface AssayReplicate {
  sample: string;
  role: WellRole;
  /** 1-based. */
  replicate: number;
  plate: string;
  well: string | null;
  outcome: Outcome;
  flags: Flag[];
  curves: AssayCurve[];
}

export interface AssaySequence {
  sample: string;
  role: WellRole;
  isControl: boolean;
  outcome: Outcome;
  /** Rank among the samples, 1 is best; null without a value. */
  place: number | null;
  nReplicates: number;
  nReplicatesPassed: number;
  performance: AssayComparison[];
  flags: Flag[];
}

export interface AssayComparison {
  /** Name of the positive control. */
  control: string;
  /** Difference to the control in the unit of the assay (°C, log2); null if one of the two has no value. */
  delta: number | null;
  verdict: 'better' | 'comparable' | 'worse' | 'not_comparable';
}

/** Points of a figure, in the form of the API; `kind` determines the members. */
export type AssayCurve = { readonly kind: string; readonly replicate: number | null } & Readonly<
  Record<string, unknown>
>;

export interface AssayAnalysis<Type extends string, Settings, Plate, Sequence> {
  experimentType: Type;
  analysis: AssayProvenance<Settings>;
  notices: string[];
  plates: Plate[];
  sequences: Sequence[];
  controls: Sequence[];
}
