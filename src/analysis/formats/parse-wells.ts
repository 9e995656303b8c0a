/** The doors for files of wells: melting curves and plate-reader values. Each file is recognised by its content. */
import { FormatError } from '../errors.ts';
import type { MeltSet, PlateSet } from '../trace.ts';
import { isAssayerMelts, parseAssayerMelts } from './assayer-melts.ts';
import { isAssayerPlate, parseAssayerPlate } from './assayer-plate.ts';
import type { InputFile } from './text.ts';

const HEAD_BYTES = 512;

function headOf(file: InputFile): string {
  return new TextDecoder('utf-8').decode(file.bytes.subarray(0, HEAD_BYTES));
}

function isMeltFile(file: InputFile): boolean {
  return isAssayerMelts(headOf(file));
}

export function isPlateFile(file: InputFile): boolean {
  return isAssayerPlate(headOf(file));
}

/** One set for each file. Throws FormatError for a file that is of no known format, or damaged. */
export function parseMelts(files: readonly InputFile[]): MeltSet[] {
  return files.map((file) => {
    if (isMeltFile(file)) return parseAssayerMelts(file);
    throw unknownFormat(file, 'a melting file (assayer-melts CSV)');
  });
}

/** One set for each file. Throws like `parseMelts`. */
export function parsePlates(files: readonly InputFile[]): PlateSet[] {
  return files.map((file) => {
    if (isPlateFile(file)) return parseAssayerPlate(file);
    throw unknownFormat(file, 'a plate-reader file (assayer-plate CSV)');
  });
}

function unknownFormat(file: InputFile, expected: string): FormatError {
  const found = file.bytes.length === 0 ? 'an empty file' : 'an unknown format';
  return new FormatError({ file: file.name, line: 1, column: 1, expected, found });
}
