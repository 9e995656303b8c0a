/**
 * Melting curves in columns, from delimited text or a worksheet:
 *
 * - temperature × wells: the first column is the temperature of all others (`Temperature, A1, A2, …`; any header but a well is
 *   kept as the name of its column and reported);
 * - Prometheus: every signal column has its own temperature column before it (`Temperature for Cap.1 (°C); Ratio 350 nm / 330 nm
 *   for Cap.1; …`), so that no two capillaries share an axis.
 */
import type { FormatError } from '../../failures/errors.ts';
import { LIMITS, quoted } from '../reading/text.ts';
import type { Field } from '../reading/text.ts';
import { assertComplete, assertWidth, gridError, gridNumber } from '../reading/grid.ts';
import type { Grid, GridRow } from '../reading/grid.ts';
import { SamplePairs } from '../../curves/sample-pairs.ts';
import type { MeltSet, MeltTrace, WellContent } from '../../curves/trace.ts';

const TEMPERATURE_HEADER = /^(temp(erature)?|t)\b/i;
const OTHER_UNIT = /(?:°|º|deg|[([_\s,])\s*(?:f|fahrenheit|k|kelvin)\s*[)\]]?$/i;
const CAPILLARY_HEADER = /^temperature for\s+(.+?)\s*(\((?:°|º)?\s*[a-z]+\))?$/i;
const WELL = /^([A-P])0?([1-9]|1\d|2[0-4])$/i;
const TEMPERATURE_C = { min: -100, max: 200 } as const;

export function isColumns(header: string): boolean {
  const first = header.replace(/^\uFEFF/, '').split(/[\t;,]/, 1)[0];
  return TEMPERATURE_HEADER.test(first.replaceAll('"', '').trim());
}

/** Well names without leading zeros and in capitals: `a01` is `A1`. */
export function wellName(text: string): string | null {
  const found = WELL.exec(text);
  return found === null ? null : `${found[1].toUpperCase()}${Number(found[2])}`;
}

/** What a file says that names its wells only. */
export function unnamedContent(well: string, sample = well): WellContent {
  return { well, role: 'sample', sample, replicate: 1, concentrationM: null, concentrationNgPerUl: null };
}

interface Column {
  content: WellContent;
  channel: string;
  temperatureAt: number;
  signalAt: number;
}

export function parseMeltColumns(
  grid: Grid,
  format: { instrument: string | null } = { instrument: null },
): MeltSet {
  const header = grid.rows.at(0);
  if (header === undefined) throw gridError(grid, { row: null }, 'a header line', 'an empty file');
  const perCapillary = CAPILLARY_HEADER.test(header.cells[0].text);
  const notices: string[] = [];
  const columns = perCapillary ? capillaryColumns(grid, header) : wellColumns(grid, header, notices);
  const rows = grid.rows.slice(1);
  for (const row of rows) assertWidth(grid, row, header.cells.length);
  assertComplete(grid, notices);
  const traces = columns.map((column) => readColumn(grid, rows, column));
  return {
    format: perCapillary ? 'prometheus-columns' : 'temperature-wells',
    instrument: perCapillary ? 'Prometheus' : format.instrument,
    plate: null,
    metadata: {},
    notices,
    traces,
  };
}

function wellColumns(grid: Grid, header: GridRow, notices: string[]): Column[] {
  const [temperature, ...others] = header.cells;
  if (!TEMPERATURE_HEADER.test(temperature.text))
    throw gridError(
      grid,
      { row: header, cell: temperature },
      'Temperature as the first header',
      quoted(temperature.text),
    );
  assertCelsius(grid, header, temperature);
  if (others.length === 0) throw gridError(grid, { row: header }, 'a column for each well', 'none');
  const unnamed: string[] = [];
  const seen = new Set<string>();
  const columns = others.map((cell, i): Column => {
    const well = wellName(cell.text);
    if (well === null) unnamed.push(`${i + 2} (${cell.text === '' ? 'no header' : cell.text})`);
    const name = well ?? (cell.text === '' || wellName(cell.text) !== null ? `column ${i + 2}` : cell.text);
    const id = seen.has(name) && well === null ? `${name} (column ${i + 2})` : name;
    if (seen.has(id))
      throw gridError(grid, { row: header, cell }, 'a well that has no column yet', quoted(cell.text));
    seen.add(id);
    return { content: unnamedContent(id), channel: 'dye', temperatureAt: 0, signalAt: i + 1 };
  });
  if (unnamed.length > 0) notices.push(`Columns without the name of a well: ${unnamed.join(', ')}.`);
  return columns;
}

/** Throws for a temperature column whose header names another unit. */
export function assertCelsius(grid: Grid, header: GridRow, cell: Field): void {
  if (OTHER_UNIT.test(cell.text))
    throw gridError(grid, { row: header, cell }, 'temperatures in °C', quoted(cell.text));
}

function capillaryColumns(grid: Grid, header: GridRow): Column[] {
  const columns: Column[] = [];
  const seen = new Set<string>();
  for (let i = 0; i < header.cells.length; i += 2) {
    const temperature = header.cells[i];
    const signal = header.cells.at(i + 1);
    const capillary = CAPILLARY_HEADER.exec(temperature.text)?.[1];
    if (capillary === undefined)
      throw gridError(
        grid,
        { row: header, cell: temperature },
        'Temperature for a capillary',
        quoted(temperature.text),
      );
    assertCelsius(grid, header, temperature);
    if (signal === undefined || !signal.text.endsWith(`for ${capillary}`))
      throw gridError(
        grid,
        { row: header, cell: signal ?? temperature },
        `a signal for ${capillary}`,
        quoted(signal?.text ?? ''),
      );
    const channel = channelName(signal.text);
    if (channel === null) continue;
    const key = JSON.stringify([capillary, channel]);
    if (seen.has(key))
      throw gridError(grid, { row: header, cell: signal }, 'one column for each signal', quoted(signal.text));
    seen.add(key);
    const content = unnamedContent(capillary);
    columns.push({ content, channel, temperatureAt: i, signalAt: i + 1 });
    if (columns.length > LIMITS.traces)
      throw gridError(grid, { row: header }, `at most ${LIMITS.traces} curves`, 'more');
  }
  return columns;
}

/** Our name of a signal; null for what is no signal of its own (derivatives, refolding). */
export function channelName(header: string): string | null {
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

/** One curve. Cells at its end may be empty in both columns: capillaries stop at different rows. */
function readColumn(grid: Grid, rows: readonly GridRow[], column: Column): MeltTrace {
  const own = [column.temperatureAt, column.signalAt];
  const isEmpty = (row: GridRow): boolean => own.every((index) => cellOf(row, index)?.text === '');
  let used = rows.length;
  while (used > 0 && isEmpty(rows[used - 1])) used -= 1;
  const builder = new CurveBuilder(grid);
  for (const row of rows.slice(0, used)) {
    const temperatureC = gridNumber(grid, row, column.temperatureAt, 'a temperature in °C');
    builder.add(row, column.temperatureAt, temperatureC, gridNumber(grid, row, column.signalAt, 'a signal'));
  }
  return { ...column.content, channel: column.channel, ...builder.build() };
}

function cellOf(row: GridRow, index: number): Field | undefined {
  return row.cells.at(index);
}

/** Collects one curve and refuses temperatures that do not rise or cannot be. */
export class CurveBuilder {
  private readonly grid: Grid;
  private readonly samples = new SamplePairs();

  constructor(grid: Grid) {
    this.grid = grid;
  }

  add(row: GridRow, index: number, temperatureC: number, signal: number): void {
    const at = { row, cell: cellOf(row, index) ?? null };
    if (temperatureC < TEMPERATURE_C.min || temperatureC > TEMPERATURE_C.max) {
      const expected = `a temperature from ${TEMPERATURE_C.min} to ${TEMPERATURE_C.max} °C`;
      throw gridError(this.grid, at, expected, `${temperatureC}`);
    }
    const { lastX: last } = this.samples;
    if (temperatureC <= last)
      throw gridError(this.grid, at, `a temperature above ${last} °C`, `${temperatureC} °C`);
    this.samples.push(temperatureC, signal);
  }

  error(expected: string, found: string): FormatError {
    return gridError(this.grid, { row: null }, expected, found);
  }

  build(): { temperatureC: Float64Array; signal: Float64Array } {
    if (this.samples.length === 0)
      throw gridError(this.grid, { row: null }, 'rows of data under the header', 'none');
    const { x: temperatureC, y: signal } = this.samples.build();
    return { temperatureC, signal };
  }
}
