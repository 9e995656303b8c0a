/**
 * What the records of every analysis have in common: provenance, plates, replicates and sequences. Plain data, ready to
 * be stored as JSON.
 */
import { type RankRange, computePlaces } from '#core/ranking.ts';
import type { AssayCurve } from '../curves/packed-curves.ts';
import type { Flag } from '../quality/flags.ts';
import type { WellRole } from '../curves/trace.ts';

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
  /** The model of the fit: `1:1`, `two_state`, `4pl` and so on. */
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
  /** Curves that all results of the plate show (standard curve, plate map), as the API returns them. */
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
  /** Rank among the samples, from 1 for the best; null without a value. */
  place: number | null;
  /** What it is ranked by; null without a place. */
  rankRange: RankRange | null;
  nReplicates: number;
  nReplicatesPassed: number;
  /** One comparison for each positive control. */
  performance: AssayComparison[];
  flags: Flag[];
}

export interface AssayComparison {
  /** Name of the positive control. */
  control: string;
  /** log2 of the value divided by that of the control; null if one of the two has no value. The API calls it so. */
  delta: number | null;
  verdict: 'better' | 'comparable' | 'worse' | 'not_comparable';
}

export interface AssayAnalysis<Type extends string, Settings, Plate, Sequence> {
  experimentType: Type;
  analysis: AssayProvenance<Settings>;
  /** Sentences about the whole run that staff should read. */
  notices: string[];
  plates: Plate[];
  sequences: Sequence[];
  controls: Sequence[];
}

/** Identifies the code that analyzed a run. A change that can change a number of a result needs a new version. */
export const ENGINE = { name: 'assayer-analysis', version: '1.18.0' } as const;

/** From replicates to sequences: what all assays do alike. */

interface Named {
  readonly sample: string;
  readonly role: string;
}

/** The replicates of each sample, in the order of the files. A control may have the name of a sample. */
export function groupBySample<Replicate extends Named>(replicates: readonly Replicate[]): Replicate[][] {
  const groups = Map.groupBy(replicates, ({ role, sample }) => JSON.stringify([role, sample]));
  return [...groups.values()];
}

export function sortReplicates<Replicate extends { readonly replicate: number; readonly plate: string }>(
  replicates: readonly Replicate[],
): Replicate[] {
  return replicates.toSorted((a, b) => a.replicate - b.replicate || a.plate.localeCompare(b.plate));
}

/** Samples, and everything else. */
export function splitControls<Sequence extends { readonly role: string }>(
  all: readonly Sequence[],
): { sequences: Sequence[]; controls: Sequence[] } {
  return {
    sequences: all.filter(({ role }) => role === 'sample'),
    controls: all.filter(({ role }) => role !== 'sample'),
  };
}

/** Gives each sequence with a range its place among them; the others keep none. */
export function assignPlaces<Sequence extends { place: number | null; rankRange: RankRange | null }>(
  sequences: readonly Sequence[],
  buildRange: (sequence: Sequence) => RankRange | null,
): void {
  const ranked = sequences.flatMap((sequence) => {
    const range = buildRange(sequence);
    return range === null ? [] : [{ sequence, range }];
  });
  const places = computePlaces(ranked.map(({ range }) => range));
  for (const [index, { sequence, range }] of ranked.entries())
    Object.assign(sequence, { place: places[index], rankRange: range });
}
