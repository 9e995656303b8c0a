/**
 * Melting curves from columns of temperature and signal, in delimited text or a worksheet: the code that all formats
 * with such columns share.
 */
import type { FormatError } from '../../failures/errors.ts';
import {
  type Field,
  formatFound,
  assertComplete,
  assertWidth,
  createGridError,
  readGridNumber,
  type Grid,
  type GridRow,
} from '../reading/grid.ts';
import type { Sheet } from '../reading/xlsx.ts';
import { SamplePairs } from '../../curves/sample-pairs.ts';
import type { MeltTrace, WellContent } from '../../curves/trace.ts';

const TEMPERATURE_HEADER = /^(temp(erature)?|t)\b/i;
const OTHER_UNIT = /(?:°|º|deg|[([_\s,])\s*(?:f|fahrenheit|k|kelvin)\s*[)\]]?$/i;
const WELL = /^([A-P])0?([1-9]|1\d|2[0-4])$/i;
const TEMPERATURE_C = { min: -100, max: 200 } as const;

/** Returns the first header of a text, as far as its first characters contain it. */
export function readFirstHeader(head: string): string {
  const [line] = head.split(/\r|\n/, 1);
  const [cell] = line.replace(/^\uFEFF/, '').split(/[\t;,]/, 1);
  return cell.replaceAll('"', '').trim();
}

/** Whether a header is that of a temperature column, of wells or of a capillary. */
export function isTemperature(header: string): boolean {
  return TEMPERATURE_HEADER.test(header);
}

/** Finds the first sheet whose first column is a temperature. */
export function findColumns(sheets: readonly Sheet[]): Sheet | null {
  return sheets.find(({ rows }) => isTemperature(readFirstHeader(rows[0].cells[0].text))) ?? null;
}

/** Returns the well name in capitals without leading zeros: `a01` is `A1`. */
export function parseWellName(text: string): string | null {
  const found = WELL.exec(text);
  return found === null ? null : `${found[1].toUpperCase()}${Number(found[2])}`;
}

/** Returns the content of a well in a file that gives only the names of its wells. */
export function createUnnamedContent(well: string, sample = well): WellContent {
  return { well, role: 'sample', sample, replicate: 1, concentrationM: null, concentrationNgPerUl: null };
}

export interface MeltColumn {
  content: WellContent;
  channel: string;
  isChannelAssumed?: boolean;
  temperatureAt: number;
  signalAt: number;
}

/** Throws for a temperature column whose header names another unit. */
export function assertCelsius(grid: Grid, header: GridRow, cell: Field): void {
  if (OTHER_UNIT.test(cell.text))
    throw createGridError(grid, { row: header, cell }, 'temperatures in °C', formatFound(cell.text));
}

/** Returns our name of a signal; null for derivatives and refolding, which are not signals. */
export function parseChannelName(header: string): string | null {
  const text = header.toLowerCase();
  if (/deriv|refold/.test(text)) return null;
  const [is330, is350] = [330, 350].map((nm) => new RegExp(`(^|\\D)${nm}(\\D|$)`).test(text));
  if (text.includes('ratio') || (is330 && is350)) return 'ratio';
  if (is330) return '330nm';
  if (is350) return '350nm';
  if (text.includes('scatter')) return 'scattering';
  if (text.includes('turbidity')) return 'turbidity';
  return header.replace(/\s+for\s+.*$/i, '').trim();
}

/** Reads one curve. Cells at its end may be empty in both columns, because capillaries stop at different rows. */
function readColumn(grid: Grid, rows: readonly GridRow[], column: MeltColumn): MeltTrace {
  const own = [column.temperatureAt, column.signalAt];
  const isEmpty = (row: GridRow): boolean => own.every((index) => findCell(row, index)?.text === '');
  let used = rows.length;
  while (used > 0 && isEmpty(rows[used - 1])) used -= 1;
  const builder = new CurveBuilder(grid);
  for (const row of rows.slice(0, used)) {
    const temperatureC = readGridNumber(grid, row, column.temperatureAt, 'a temperature in °C');
    builder.add(
      row,
      column.temperatureAt,
      temperatureC,
      readGridNumber(grid, row, column.signalAt, 'a signal'),
    );
  }
  const { content, channel, isChannelAssumed = false } = column;
  return { ...content, channel, ...(isChannelAssumed && { isChannelAssumed }), ...builder.build() };
}

/** Reads the curves of columns under a header that is as wide as each row. */
export function readColumns(grid: Grid, columns: readonly MeltColumn[], notices: string[]): MeltTrace[] {
  const [header, ...rows] = grid.rows;
  for (const row of rows) assertWidth(grid, row, header.cells.length);
  assertComplete(grid, notices);
  return columns.map((column) => readColumn(grid, rows, column));
}

function findCell(row: GridRow, index: number): Field | undefined {
  return row.cells.at(index);
}

/** Collects one curve and rejects temperatures that do not rise or are impossible. */
export class CurveBuilder {
  private readonly grid: Grid;
  private readonly samples = new SamplePairs();

  constructor(grid: Grid) {
    this.grid = grid;
  }

  add(row: GridRow, index: number, temperatureC: number, signal: number): void {
    const at = { row, cell: findCell(row, index) ?? null };
    if (temperatureC < TEMPERATURE_C.min || temperatureC > TEMPERATURE_C.max) {
      const expected = `a temperature from ${TEMPERATURE_C.min} to ${TEMPERATURE_C.max} °C`;
      throw createGridError(this.grid, at, expected, `${temperatureC}`);
    }
    const { lastX: last } = this.samples;
    if (temperatureC <= last)
      throw createGridError(this.grid, at, `a temperature above ${last} °C`, `${temperatureC} °C`);
    this.samples.push(temperatureC, signal);
  }

  createError(expected: string, found: string): FormatError {
    return createGridError(this.grid, { row: null }, expected, found);
  }

  build(): { temperatureC: Float64Array; signal: Float64Array } {
    if (this.samples.length === 0)
      throw createGridError(this.grid, { row: null }, 'rows of data under the header', 'none');
    const { x: temperatureC, y: signal } = this.samples.build();
    return { temperatureC, signal };
  }
}
