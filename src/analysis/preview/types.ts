/**
 * What a preview says of raw files. Plain data, so that it can be sent between threads.
 * This folder: what raw files hold, compared with the order, before anything is analyzed. Not here: parsers, analyses.
 */
import type { MappedRole } from '#core/raw-mapping.ts';
import type { Mapping } from '../curves/map-wells.ts';
import type { RawFile } from '../formats/reading/input-file.ts';

export interface PreviewRequest {
  readonly files: readonly RawFile[];
  readonly mapping: Mapping;
  /** What the plan of the run says of wells; a mapping by hand takes precedence. */
  readonly planned?: Mapping;
  readonly ordered: {
    /** Names of the ordered sequences. */
    readonly names: readonly string[];
    readonly method: string | null;
    /** In M, zero for a blank; empty where the order names none. */
    readonly concentrationsM: readonly number[];
  };
  /** Settings of the analysis that would follow, by their names in the engine. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** What the files hold of one ordered sequence. */
export interface MeasuredSequence {
  readonly sequence: string;
  readonly nReplicates: number;
  /** With analyte; null where the files hold no traces. */
  readonly nCurves: number | null;
}

export interface PreviewedFile {
  readonly name: string;
  /** Titles of the formats that were recognized; empty for a file that cannot be read. */
  readonly formats: readonly string[];
  /** Digests of what was measured in it. */
  readonly digests: readonly string[];
  /** Why it cannot be read; null when it can. */
  readonly problem: string | null;
}

/** A step of a trace, or a channel of a well. */
export interface PreviewedPart {
  readonly name: string;
  /** In s for a step, in °C for a melting curve; null for a single value. */
  readonly from: number | null;
  readonly to: number | null;
  readonly nPoints: number;
  /** Median distance between points; null with fewer than two. */
  readonly interval: number | null;
  /** Largest distance between points where it is a gap; null otherwise. */
  readonly gap: number | null;
  /** Analyte in M, where the step has its own. */
  readonly concentrationM: number | null;
}

export interface PreviewedWell {
  /** Name of the trace, or of the well. */
  readonly id: string;
  readonly well: string | null;
  readonly role: MappedRole | 'empty';
  /** After the mapping by hand. */
  readonly sample: string;
  readonly replicate: number;
  readonly concentrationM: number | null;
  readonly concentrationNgPerUl: number | null;
  /** Ordered sequence of that name; null where nobody ordered it. */
  readonly matchedSequence: string | null;
  readonly isMapped: boolean;
  readonly parts: readonly PreviewedPart[];
}

export interface PreviewedSet {
  readonly format: string;
  readonly kind: 'traces' | 'melts' | 'values' | 'map';
  readonly technique: string | null;
  readonly instrument: string | null;
  readonly plate: string | null;
  readonly signalUnit: string | null;
  /** Unit of the axis of its parts; null for single values. */
  readonly axisUnit: 's' | '°C' | null;
  readonly notices: readonly string[];
  readonly nWells: number;
  /** The first of them. */
  readonly wells: readonly PreviewedWell[];
}

export type PreviewProblemCode =
  | 'file_unreadable'
  | 'nothing_read'
  | 'wells_unnamed'
  | 'sample_not_ordered'
  | 'sequence_missing'
  | 'technique_differs'
  | 'technique_not_stated'
  | 'doses_differ'
  | 'concentration_missing'
  | 'unit_not_stated'
  | 'steps_not_stated'
  | 'analysis_stops'
  | 'gap_in_curve'
  | 'detector_overflow'
  | 'mapping_unused'
  | 'mapping_not_possible';

export interface PreviewProblem {
  readonly code: PreviewProblemCode;
  /** `error`: the analysis stops; `warning`: a person has to look; `info`: the order or the settings decide. */
  readonly severity: 'error' | 'warning' | 'info';
  /** What is wrong and what to do. */
  readonly message: string;
  /** The setting that would remove it, as requests name it; absent where none does. */
  readonly setting?: string;
}

export interface Preview {
  readonly files: readonly PreviewedFile[];
  readonly sets: readonly PreviewedSet[];
  readonly samplesNotOrdered: readonly string[];
  readonly sequencesMissing: readonly string[];
  readonly measured: readonly MeasuredSequence[];
  readonly problems: readonly PreviewProblem[];
}
