/**
 * What the folder of an instrument format provides to the registry: how its files are recognized, which belong
 * together, and how they are parsed.
 */
import type { MeltSet, PlateSet, TraceSet } from '../curves/trace.ts';
import type { PointBudget, InputFile } from './reading/input-file.ts';
import type { Sheet } from './reading/xlsx.ts';
import type { Blocks } from './wells/blocks.ts';
import type { NotedMap } from './wells/plate-map.ts';

interface Described {
  /** The name of its folder. */
  readonly id: string;
  /** Where a refusal lists what could have been read. */
  readonly name: string;
  /** Title as in the guide. */
  readonly title: string;
}

interface OneSet extends Described {
  readonly kind: 'traces';
  /**
   * `plate`: each file is a complete upload. `file`: each file is a set, and all files of an upload are analyzed
   * together.
   */
  readonly grouping: 'plate' | 'file';
  recognizes(start: FileStart): boolean;
  parse(file: InputFile): TraceSet;
}

interface FolderOfSets extends Described {
  readonly kind: 'traces';
  /** The files of one folder belong together. */
  readonly grouping: 'folder';
  recognizes(start: FileStart): boolean;
  /** Parses the files; the budget counts the points of all curves. */
  parse(files: readonly InputFile[], budget: PointBudget): TraceSet[];
}

/** A format of sensor traces. */
export type TraceFormat = OneSet | FolderOfSets;

export interface FileStart {
  readonly name: string;
  /** The first characters of the file. */
  readonly head: string;
}

/** A file with wells. */
export interface WellSource {
  readonly file: InputFile;
  /** The first characters of a text file; empty for a workbook. */
  readonly head: string;
  /** The non-empty sheets of a workbook; null for a text file. */
  readonly sheets: readonly Sheet[] | null;
}

interface SetOfWells<Set> extends Described {
  /** Each file is a set. */
  readonly grouping: 'file';
  recognizes(source: WellSource): boolean;
  parse(source: WellSource): Set;
}

export interface MeltFormat extends SetOfWells<MeltSet> {
  readonly kind: 'melts';
}

/** A format of plate-reader values. */
export interface PlateFormat extends SetOfWells<PlateSet> {
  readonly kind: 'values';
}

interface SheetOfBlocks<Found> extends Described {
  /** Each sheet of a workbook is read separately; so is a text file. */
  readonly grouping: 'sheet';
  recognizes(blocks: Blocks): boolean;
  parse(blocks: Blocks): Found;
}

export interface BlockFormat extends SheetOfBlocks<PlateSet> {
  readonly kind: 'values';
}

export interface MapFormat extends SheetOfBlocks<NotedMap> {
  readonly kind: 'map';
}

export type Format = TraceFormat | MeltFormat | PlateFormat | BlockFormat | MapFormat;
