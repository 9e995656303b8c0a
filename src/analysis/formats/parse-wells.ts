/**
 * The entry points for files of wells, which are recognized by content: melting curves, plate-reader values, and
 * plate maps that name the wells of both. Zip archives are unpacked.
 */
import { FormatError } from '../failures/errors.ts';
import type { MeltSet, PlateSet } from '../curves/trace.ts';
import type { WellSource } from './format.ts';
import { assertSizes, sniffTraceFormat, describeUnknownContent, isPacked, nameOnOneLine } from './parse.ts';
import { readGrid } from './reading/grid.ts';
import { getSize, type InputFile, readHead } from './reading/input-file.ts';
import { isXlsx, readWorkbook } from './reading/xlsx.ts';
import { isZip, unzip } from './reading/zip.ts';
import { BLOCK_FORMATS, EXPECTED, MELT_FORMATS, PLATE_FORMATS } from './registry.ts';
import { readBlocks } from './wells/blocks.ts';
import { applyPlateMap } from './wells/plate-map.ts';
import type { NotedMap, PlateMap } from './wells/plate-map.ts';

/** Progress callback: files read, total. */
export type OnRead = (done: number, total: number) => void;

export interface WellFiles {
  melts: MeltSet[];
  plates: PlateSet[];
  /** The content of each well, where the upload states it apart from the data. */
  map: PlateMap | null;
}

/** A plate map as read from its file. */
export interface FoundMap extends NotedMap {
  file: string;
}

/** Throws FormatError for a file of unknown format, a damaged file and a second plate map. */
export function parseWellFiles(uploads: readonly InputFile[], onRead?: OnRead): WellFiles {
  const { melts, plates, maps } = readWellFiles(uploads, onRead);
  const map = findOnlyMap(maps);
  if (map === null) return { melts, plates, map: null };
  const nameWells = <T extends MeltSet | PlateSet>(set: T): T => withMap(set, map);
  return { melts: melts.map(nameWells), plates: plates.map(nameWells), map: map.map };
}

interface Unmapped {
  melts: MeltSet[];
  plates: PlateSet[];
  maps: FoundMap[];
}

function readWellFiles(uploads: readonly InputFile[], onRead?: OnRead): Unmapped {
  assertSizes(uploads);
  const files = uploads.flatMap(unpackFile);
  assertSizes(files);
  const found: Unmapped = { melts: [], plates: [], maps: [] };
  for (const [index, file] of files.entries()) {
    onRead?.(index, files.length);
    const source = openSource(file);
    const melts = MELT_FORMATS.find((format) => format.recognizes(source));
    const values = PLATE_FORMATS.find((format) => format.recognizes(source));
    if (melts !== undefined) found.melts.push(melts.parse(source));
    else if (values !== undefined) found.plates.push(values.parse(source));
    else readBlockFile(source, found);
  }
  return { ...found, melts: found.melts.map(nameOnOneLine), plates: found.plates.map(nameOnOneLine) };
}

function findOnlyMap(maps: readonly FoundMap[]): FoundMap | null {
  const [map = null, second] = maps;
  if (second !== undefined) throw createUnexpectedError(second.file, 'one plate map', `${maps.length}`);
  return map;
}

function withMap<T extends MeltSet | PlateSet>(set: T, { map, notices }: FoundMap): T {
  return applyPlateMap({ ...set, notices: [...set.notices, ...notices] }, map);
}

function unpackFile(file: InputFile): InputFile[] {
  return isZip(file) && !isXlsx(file) ? unzip(file) : [file];
}

/** Whether a file has wells, or is an archive of nothing else, rather than sensor traces. */
export function isPlateFile(file: InputFile): boolean {
  return unpackFile(file).every((each) => sniffTraceFormat(each) === null);
}

/** Parses the melting curves of an upload. Throws like `parseWellFiles`, and for plate-reader values. */
export function parseMelts(uploads: readonly InputFile[], onRead?: OnRead): MeltSet[] {
  const { melts, plates } = parseWellFiles(uploads, onRead);
  assertMelts(uploads, melts.length, plates.length);
  return melts;
}

function assertMelts(uploads: readonly InputFile[], melts: number, plates: number): void {
  if (melts > 0 && plates === 0) return;
  const found = plates > 0 ? 'values of a plate reader' : 'a plate map';
  const other = uploads.find((file) => !isMeltText(file)) ?? uploads[0];
  throw createUnexpectedError(other.name, 'melting curves', found);
}

/** Whether a file holds melting curves and nothing else, by its first bytes: one set, and no plate map. */
export function isMeltText(file: InputFile): boolean {
  if (isZip(file)) return false;
  const source: WellSource = { file, head: readHead(file), sheets: null };
  return MELT_FORMATS.some((format) => format.recognizes(source));
}

/** Whether a file holds the values of one plate and nothing else, by its first bytes: no plate map. */
export function isPlateText(file: InputFile): boolean {
  if (isZip(file)) return false;
  const source: WellSource = { file, head: readHead(file), sheets: null };
  return PLATE_FORMATS.some((format) => format.recognizes(source));
}

/** A survey of uploads that are read one at a time: the number of melt sets in each, and the plate map for all. */
export interface MeltSurvey {
  sets: number[];
  map: FoundMap | null;
}

/**
 * Surveys the uploads that `isMeltText` does not recognize; `others` counts the sets of the rest. Throws as
 * `parseMelts` would for all of them.
 */
export function surveyMelts(uploads: readonly InputFile[], others: number): MeltSurvey {
  const found = uploads.map((upload) => readWellFiles([upload]));
  const map = findOnlyMap(found.flatMap(({ maps }) => maps));
  const sets = found.map(({ melts }) => melts.length);
  const plates = found.flatMap((each) => each.plates).length;
  assertMelts(uploads, others + sets.reduce((sum, count) => sum + count, 0), plates);
  return { sets, map };
}

/** Parses the melting curves of one upload; the plate map of the run names the wells, whichever upload holds it. */
export function parseMeltsWith(upload: InputFile, map: FoundMap | null): MeltSet[] {
  const { melts } = readWellFiles([upload]);
  return map === null ? melts : melts.map((set) => withMap(set, map));
}

/**
 * Parses the plate-reader values of an upload, which may be empty. Throws like `parseWellFiles`, and for melting
 * curves.
 */
export function parsePlates(uploads: readonly InputFile[], onRead?: OnRead): PlateSet[] {
  if (uploads.length === 0) return [];
  const { melts, plates } = parseWellFiles(uploads, onRead);
  if (plates.length > 0 && melts.length === 0) return plates;
  throw createUnexpectedError(
    uploads[0].name,
    'values of a plate reader',
    melts.length > 0 ? 'melting curves' : 'a plate map',
  );
}

function openSource(file: InputFile): WellSource {
  if (!isXlsx(file)) return { file, head: readHead(file), sheets: null };
  return { file, head: '', sheets: readWorkbook(file).filter(({ rows }) => rows.length > 0) };
}

function readBlockFile({ file, sheets }: WellSource, found: Unmapped): void {
  if (getSize(file) === 0 || (sheets === null && isPacked(file)))
    throw createUnexpectedError(file.name, EXPECTED.wells, describeUnknownContent(file));
  let isKnown = false;
  for (const grid of sheets ?? [readGrid(file)]) {
    const blocks = readBlocks(grid);
    const format = BLOCK_FORMATS.find((each) => each.recognizes(blocks));
    if (format === undefined) continue;
    isKnown = true;
    if (format.kind === 'map') found.maps.push({ ...format.parse(blocks), file: file.name });
    else found.plates.push(format.parse(blocks));
  }
  if (!isKnown) throw createUnexpectedError(file.name, EXPECTED.wells, describeUnknownContent(file));
}

function createUnexpectedError(file: string, expected: string, found: string): FormatError {
  return new FormatError({ file, line: 1, column: 1, expected, found });
}
