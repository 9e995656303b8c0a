/** What the analyses of all assays have in common. Plain data, ready to be stored as JSON. */
import type { AssayCurve } from '../curves/packed-curves.ts';
import type { Flag } from '../quality/flags.ts';
import type { WellRole } from '../curves/trace.ts';

export const ENGINE = { name: 'assayer-analysis', version: '1.12.0' } as const;

export type Outcome =
  'measured' | 'non_binder' | 'inconclusive' | 'not_expressed' | 'failed_qc' | 'not_tested';
export type Confidence = 'high' | 'medium' | 'low';

export interface InputFileRecord {
  name: string;
  bytes: number;
  sha256: string;
}

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

export interface AssayAnalysis<Type extends string, Settings, Plate, Sequence> {
  experimentType: Type;
  analysis: AssayProvenance<Settings>;
  notices: string[];
  plates: Plate[];
  sequences: Sequence[];
  controls: Sequence[];
}
