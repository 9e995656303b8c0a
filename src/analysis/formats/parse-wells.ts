/**
 * The doors for files of wells, recognised by their content: melting curves, plate-reader values, and plate maps that name the
 * wells of both. Zip archives are unpacked.
 */
import { FormatError } from '../errors.ts';
import type { MeltSet, PlateSet } from '../trace.ts';
import { isAssayerMelts, parseAssayerMelts } from './assayer-melts.ts';
import { isAssayerPlate, parseAssayerPlate } from './assayer-plate.ts';
import { gridOf } from './grid.ts';
import type { Grid } from './grid.ts';
import { isColumns, parseMeltColumns } from './melt-columns.ts';
import { parseMeltSheets } from './melt-sheets.ts';
import { assertSizes, sniffTraceFormat, unknownContent } from './parse.ts';
import { applyPlateMap } from './plate-map.ts';
import type { PlateMap } from './plate-map.ts';
import { isMx3005p, isQuantStudio, parseMx3005p, parseQuantStudio } from './qpcr-text.ts';
import { parseReaderBlocks, plateMapIn } from './reader-blocks.ts';
import { headOf, sizeOf } from './text.ts';
import type { InputFile } from './text.ts';
import { isXlsx, readWorkbook } from './xlsx.ts';
import { isZip, unzip } from './zip.ts';

/** Hears how many files of how many were read. */
export type OnRead = (done: number, total: number) => void;

export interface WellFiles {
  melts: MeltSet[];
  plates: PlateSet[];
  /** Who sits in which well, where the upload says it apart from the data. */
  map: PlateMap | null;
}

const EXPECTED =
  'a file of wells (assayer-melts or assayer-plate CSV, temperature × well table, Prometheus, QuantStudio, Mx3005P, UNCLE, plate-reader blocks, plate map)';

/** Throws FormatError for a file of no known format, a damaged one, and a second plate map. */
export function parseWellFiles(uploads: readonly InputFile[], onRead?: OnRead): WellFiles {
  assertSizes(uploads);
  const files = uploads.flatMap(unpacked);
  assertSizes(files);
  const found: WellFiles = { melts: [], plates: [], map: null };
  const maps: { map: PlateMap; notices: string[] }[] = [];
  for (const [index, file] of files.entries()) {
    onRead?.(index, files.length);
    const melt = meltIn(file);
    const plate = melt === null && isAssayerPlate(headOf(file)) ? parseAssayerPlate(file) : null;
    if (melt !== null) found.melts.push(melt);
    else if (plate !== null) found.plates.push(plate);
    else readBlockFile(file, found, maps);
  }
  const [map, second] = maps;
  if (second !== undefined) throw unknown(files[0], 'one plate map', `${maps.length}`);
  if (map === undefined) return found;
  const named = <T extends MeltSet | PlateSet>(set: T): T =>
    applyPlateMap({ ...set, notices: [...set.notices, ...map.notices] }, map.map);
  return { melts: found.melts.map(named), plates: found.plates.map(named), map: map.map };
}

function unpacked(file: InputFile): InputFile[] {
  return isZip(file) && !isXlsx(file) ? unzip(file) : [file];
}

/** A file of wells, or an archive of nothing else: not of traces of sensors. */
export function isPlateFile(file: InputFile): boolean {
  return unpacked(file).every((each) => sniffTraceFormat(each) === null);
}

/** The melting curves of an upload. Throws like `parseWellFiles`, and for values of a plate reader. */
export function parseMelts(uploads: readonly InputFile[], onRead?: OnRead): MeltSet[] {
  const { melts, plates } = parseWellFiles(uploads, onRead);
  if (melts.length > 0 && plates.length === 0) return melts;
  throw unknown(uploads[0], 'melting curves', plates.length > 0 ? 'values of a plate reader' : 'a plate map');
}

/** The plate-reader values of an upload, which may be none. Throws like `parseWellFiles`, and for melting curves. */
export function parsePlates(uploads: readonly InputFile[], onRead?: OnRead): PlateSet[] {
  if (uploads.length === 0) return [];
  const { melts, plates } = parseWellFiles(uploads, onRead);
  if (plates.length > 0 && melts.length === 0) return plates;
  throw unknown(uploads[0], 'values of a plate reader', melts.length > 0 ? 'melting curves' : 'a plate map');
}

/** The melting curves of a text file, or null. */
function meltIn(file: InputFile): MeltSet | null {
  if (isXlsx(file)) return null;
  const head = headOf(file);
  if (isAssayerMelts(head)) return parseAssayerMelts(file);
  if (isQuantStudio(head)) return parseQuantStudio(file);
  if (isMx3005p(head)) return parseMx3005p(file);
  return isColumns(head.split(/\r|\n/, 1)[0]) ? parseMeltColumns(gridOf(file)) : null;
}

function readBlockFile(
  file: InputFile,
  found: WellFiles,
  maps: { map: PlateMap; notices: string[] }[],
): void {
  if (sizeOf(file) === 0) throw unknown(file, EXPECTED, unknownContent(file));
  const sheets = isXlsx(file) ? readWorkbook(file) : null;
  const melt = sheets === null ? null : parseMeltSheets(sheets);
  if (melt !== null) {
    found.melts.push(melt);
    return;
  }
  const before = found.plates.length + maps.length;
  const grids: Grid[] = sheets ?? [gridOf(file)];
  for (const grid of grids) {
    const map = plateMapIn(grid);
    const set = map === null ? parseReaderBlocks(grid) : null;
    if (map !== null) maps.push(map);
    if (set !== null) found.plates.push(set);
  }
  if (found.plates.length + maps.length === before) throw unknown(file, EXPECTED, unknownContent(file));
}

function unknown(file: InputFile, expected: string, found: string): FormatError {
  return new FormatError({ file: file.name, line: 1, column: 1, expected, found });
}
