/** Curves of qPCR instruments: the readings of each well are numbered, and none may be missing. */
import type { MeltTrace } from '../../curves/trace.ts';
import {
  createGridError,
  parseLocalNumber,
  type Grid,
  type GridRow,
  type Field,
  formatFound,
} from '../reading/grid.ts';
import type { Line, TextFile } from '../reading/text.ts';
import { createUnnamedContent } from './melt-curves.ts';
import type { CurveBuilder } from './melt-curves.ts';

export interface NumberedCurve {
  well: string;
  sample: string;
  builder: CurveBuilder;
  lastIndex: number;
}

/** Makes a grid without rows, so that errors of a curve name the lines of the file. */
export function makeGrid(file: TextFile): Grid {
  return { name: file.name, rows: [], decimal: '.', open: false };
}

export function addReading(
  file: TextFile,
  line: Line,
  curve: NumberedCurve,
  at: { reading: Field; temperature: Field; signal: Field },
  grid: Grid,
): void {
  const row: GridRow = { number: line.number, cells: [at.temperature] };
  const readNumber = (field: Field, what: string): number => {
    const value = parseLocalNumber(field.text.trim(), '.');
    if (Number.isNaN(value))
      throw createGridError(grid, { row, cell: field }, `${what}, a finite number`, formatFound(field.text));
    return value;
  };
  const index = readNumber(at.reading, 'the number of the reading');
  if (index !== curve.lastIndex + 1) {
    const expected = `reading ${curve.lastIndex + 1} of well ${curve.well}`;
    throw file.createError(
      { line: line.number, column: at.reading.column },
      expected,
      formatFound(at.reading.text),
    );
  }
  curve.lastIndex = index;
  curve.builder.add(
    row,
    0,
    readNumber(at.temperature, 'a temperature in °C'),
    readNumber(at.signal, 'a signal'),
  );
}

/** Every well is read at every step, so a shorter curve was truncated. */
export function buildCurves(curves: ReadonlyMap<string, NumberedCurve>): MeltTrace[] {
  const longest = Math.max(0, ...[...curves.values()].map((curve) => curve.lastIndex));
  return [...curves.values()].map((curve): MeltTrace => {
    if (curve.lastIndex < longest) {
      const found = `${curve.lastIndex} (the file looks cut off)`;
      throw curve.builder.createError(`${longest} readings of well ${curve.well}, as of the others`, found);
    }
    return { ...createUnnamedContent(curve.well, curve.sample), channel: 'dye', ...curve.builder.build() };
  });
}
