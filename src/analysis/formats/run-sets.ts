/** The parsed files of a run, whatever their kind. */
import type { MeltSet, PlateSet, TraceSet } from '../curves/trace.ts';
import { isSelfContained, parseTraces } from './parse.ts';
import type { InputFile } from './reading/input-file.ts';
import type { PlateMap } from './wells/plate-map.ts';

export interface RunSets {
  readonly traces: readonly TraceSet[];
  readonly melts: readonly MeltSet[];
  readonly plates: readonly PlateSet[];
  /** The plate map that names the wells; null without one. */
  readonly map: PlateMap | null;
}

export function createRunSets(found: Partial<RunSets>): RunSets {
  return { traces: [], melts: [], plates: [], map: null, ...found };
}

/**
 * Parses trace files as uploads: files that are complete plates, and files that belong together, each with the limits
 * of an upload. Throws FormatError.
 */
export function parseTraceUploads(files: readonly InputFile[]): TraceSet[] {
  const { own = [], together = [] } = Object.groupBy(files, (file) =>
    isSelfContained(file) ? 'own' : 'together',
  );
  const uploads = [...own.map((file) => [file]), ...(together.length === 0 ? [] : [together])];
  return uploads.flatMap((upload) => parseTraces(upload));
}
