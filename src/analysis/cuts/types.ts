/**
 * Cuts the raw files of a run that serves several experiments: each experiment gets its own wells and those of the
 * lab. Plain data, so that it can be sent between threads.
 * This folder: who gets which well of a shared file. Not here: plans, formats of instruments.
 */
import type { Mapping } from '../curves/map-wells.ts';
import type { TraceRole } from '../curves/trace.ts';
import type { FileContents } from '../formats/inspect.ts';
import type { StoredFile } from '../formats/reading/input-file.ts';

/** A planned well with what belongs there. */
export interface PlannedCell {
  readonly well: string;
  /** Number of the cycle or capillary; null where all wells are measured together. */
  readonly order: number | null;
  readonly role: TraceRole;
  /** Name in the files of the run. */
  readonly sample: string;
  /** Name in the files of its owner: that of the sequence, or of the control. */
  readonly name: string;
  readonly replicate: number;
  readonly concentrationM: number | null;
  /** Experiment of the well; null for what the lab adds. */
  readonly owner: string | null;
}

export interface PlannedCells {
  readonly name: string;
  readonly wells: readonly PlannedCell[];
}

export interface CutRequest {
  readonly files: readonly StoredFile[];
  readonly mapping: Mapping;
  readonly plates: readonly PlannedCells[];
  /** Stated in every piece, because the files may state names there. */
  readonly instrument: string;
  /** `errors`: an error of the plan is thrown as the failure of an analysis. */
  readonly refuses: 'nothing' | 'errors';
}

export type CutProblemCode =
  | 'plate_not_planned'
  | 'well_not_planned'
  | 'sample_other_than_planned'
  | 'role_other_than_planned'
  | 'concentration_other_than_planned'
  | 'well_measured_twice'
  | 'wells_left_out';

/** For staff alone: it may name wells of any experiment. */
export interface CutProblem {
  readonly code: CutProblemCode;
  /** With an error, nothing is cut. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** A plate as one experiment may see it, in our own format. */
export interface CutPiece {
  readonly owner: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Names of the files that it may come from. */
  readonly sources: readonly string[];
  /** What the parser reads from it. */
  readonly contents: FileContents;
}

/** What the files hold of one experiment. */
export interface CutShare {
  readonly owner: string;
  /** Its own curves or readings, without those of the lab. */
  readonly nOwn: number;
  /** Its own curves or readings, and those of the lab, that the mapping by hand names. */
  readonly nMapped: number;
  /** Names of its samples in the files of the run. */
  readonly samples: readonly string[];
}

export interface Cut {
  readonly problems: readonly CutProblem[];
  readonly shares: readonly CutShare[];
  /** Empty with an error, and where they were not asked for. */
  readonly pieces: readonly CutPiece[];
}
