/**
 * Melting curves as the software of Prometheus instruments exports them, in worksheets or in text. The row that
 * starts with `Time [s]` is the header of the data; the row above it may name the capillaries. Either one pair of
 * time and temperature columns belongs to all columns that follow, or each capillary has its own time, temperature
 * and signal columns (`#3 (design-1)` above them). A workbook has a sheet for each signal (`Ratio`, `330nm`, `350nm`,
 * `Scattering`), and the sheet `Overview` has the sample names in a column `Sample ID`.
 * This folder: the exports of Prometheus instruments. Not here: what other formats read as well (`reading/`, `wells/`).
 */
import type { MeltSet, MeltTrace } from '../../curves/trace.ts';
import type { MeltFormat } from '../format.ts';
import {
  assertComplete,
  createGridError,
  readGridNumber,
  readGrid,
  parseLocalNumber,
  type Grid,
  type GridRow,
  formatFound,
} from '../reading/grid.ts';
import { nameCapillaries, readOverview } from '../wells/capillary-names.ts';
import type { CapillaryNames } from '../wells/capillary-names.ts';
import {
  assertCelsius,
  CurveBuilder,
  parseChannelName,
  findColumns,
  readFirstHeader,
  createUnnamedContent,
  parseWellName,
} from '../wells/melt-curves.ts';
import type { InputFile } from '../reading/input-file.ts';
import type { Sheet } from '../reading/xlsx.ts';
import { isCapillaryHeader, parseCapillaryColumns } from './capillary-columns.ts';

const TIME_HEADER = /^time\s*[[(]?\s*s?\s*[\])]?$/i;
const TEMPERATURE_HEADER = /^temp(erature)?\b/i;
/** Largest number of rows before the header of the data. */
const HEAD_ROWS = 50;
/** `#3 (design-1)`, `Capillary #3`; the number is the position in the instrument. */
const NUMBERED = /#\s*(\d{1,3})\b\s*(?:\((.*)\))?/;
const NO_SAMPLE = /^(no capillary|capillary\s*\d+|cap\.?\s*\d+|)$/i;

export const prometheus: MeltFormat = {
  id: 'prometheus',
  name: 'Prometheus',
  title: 'Prometheus, xlsx or text',
  kind: 'melts',
  grouping: 'file',
  recognizes: ({ head, sheets }) =>
    sheets === null
      ? isTimesHeader(head) || isCapillaryHeader(readFirstHeader(head))
      : sheets.some((sheet) => findHead(sheet) !== null) || findCapillaries(sheets) !== null,
  parse({ file, head, sheets }) {
    if (sheets === null) return isTimesHeader(head) ? parseText(file) : parseCapillaryColumns(readGrid(file));
    const columns = sheets.some((sheet) => findHead(sheet) !== null) ? null : findCapillaries(sheets);
    return columns === null ? parseSheets(sheets) : nameCapillaries(parseCapillaryColumns(columns), sheets);
  },
};

/** Finds the first sheet of columns, if these belong to capillaries. */
function findCapillaries(sheets: readonly Sheet[]): Sheet | null {
  const columns = findColumns(sheets);
  return columns !== null && isCapillaryHeader(columns.rows[0].cells[0].text) ? columns : null;
}

/** Whether a line near the top of the text is a header of time and temperature columns. */
function isTimesHeader(head: string): boolean {
  return head
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .slice(0, HEAD_ROWS)
    .some((line) => {
      const [time = '', temperature = ''] = line.replaceAll('"', '').split(/[;\t,]/);
      return TIME_HEADER.test(time.trim()) && TEMPERATURE_HEADER.test(temperature.trim());
    });
}

/** Finds the header of the data; null for a sheet without one. */
function findHead(grid: Grid): GridRow | null {
  const isHead = ({ cells }: GridRow): boolean =>
    TIME_HEADER.test(cells[0].text) && cells.some(({ text }) => TEMPERATURE_HEADER.test(text));
  return grid.rows.slice(0, HEAD_ROWS).find(isHead) ?? null;
}

function parseText(input: InputFile): MeltSet {
  const grid = readGrid(input);
  const head = findHead(grid);
  if (head === null) throw createGridError(grid, { row: null }, 'a row that starts with Time [s]', 'none');
  const notices: string[] = [];
  assertComplete(grid, notices);
  const ofFile = parseSignal(input.name.split(/[\\/]/).at(-1) ?? '');
  const traces = readSignalSheet(grid, { head, channel: ofFile, names: new Map() }, notices);
  return { format: 'prometheus-text', instrument: 'Prometheus', plate: null, metadata: {}, notices, traces };
}

function parseSheets(sheets: readonly Sheet[]): MeltSet {
  const names = readOverview(sheets);
  const notices: string[] = [];
  const traces: MeltTrace[] = [];
  for (const sheet of sheets) {
    const head = findHead(sheet);
    if (head === null) continue;
    const channel = parseChannelName(sheet.sheet);
    if (channel === null || /\b(re)?folding/i.test(sheet.sheet))
      notices.push(`Sheet ${sheet.sheet} is not read.`);
    else traces.push(...readSignalSheet(sheet, { head, channel, names }, notices));
  }
  return { format: 'prometheus-xlsx', instrument: 'Prometheus', plate: null, metadata: {}, notices, traces };
}

/** Returns the signal that a name means, or null if it names none. */
function parseSignal(name: string): string | null {
  const channel = parseChannelName(name.replace(/\.[^.]*$/, ''));
  return channel !== null && KNOWN.has(channel) ? channel : null;
}

const KNOWN: ReadonlySet<string> = new Set(['ratio', '330nm', '350nm', 'scattering', 'turbidity']);

interface SignalSheet {
  head: GridRow;
  /** The signal of all columns of the sheet; null where only the column titles tell it. */
  channel: string | null;
  names: CapillaryNames;
}

function readSignalSheet(grid: Grid, { head, channel, names }: SignalSheet, notices: string[]): MeltTrace[] {
  const rows = grid.rows.filter(({ number }) => number > head.number);
  const above = grid.rows.findLast(({ number }) => number < head.number) ?? null;
  const traces: MeltTrace[] = [];
  const places = new Map<string, number>();
  const start = { temperature: -1, capillary: -1, isRefolding: false };
  const empty: string[] = [];
  for (const [index, cell] of head.cells.entries()) {
    if (TIME_HEADER.test(cell.text)) start.capillary = index;
    else if (TEMPERATURE_HEADER.test(cell.text)) {
      assertCelsius(grid, head, cell);
      start.temperature = index;
      start.isRefolding = isDescending(grid, rows, index);
      if (start.isRefolding)
        notices.push(`${grid.name}: curves of falling temperature (refolding) are not read.`);
    } else if (start.isRefolding) continue;
    else if (cell.text !== '' || hasCells(rows, index)) {
      if (start.temperature < start.capillary)
        throw createGridError(
          grid,
          { row: head, cell },
          'a temperature before the signal',
          formatFound(cell.text),
        );
      const signal = channel ?? parseSignal(cell.text) ?? 'fluorescence';
      const place = (places.get(signal) ?? 0) + 1;
      places.set(signal, place);
      const well = parseWellName(cell.text);
      const found =
        well === null
          ? getCapillary(above, index, start.capillary, { place, names })
          : { well, sample: well };
      if (hasCells(rows, index)) {
        const curve = readCurve(grid, rows, { temperatureAt: start.temperature, signalAt: index });
        traces.push({ ...createUnnamedContent(found.well, found.sample), channel: signal, ...curve });
      } else empty.push(found.well);
    }
  }
  if (empty.length > 0) notices.push(`${grid.name}: without readings are ${empty.join(', ')}.`);
  if (traces.length === 0) throw createGridError(grid, { row: head }, 'columns of capillaries', 'none');
  return traces;
}

/**
 * Finds the capillary of a column by the name above its signal or its time, where these columns are its own;
 * otherwise by its position among the signals.
 */
function getCapillary(
  above: GridRow | null,
  signalAt: number,
  timeAt: number,
  { place, names }: { place: number; names: CapillaryNames },
): { well: string; sample: string } {
  const isOwn = signalAt === timeAt + 2 && timeAt > 0;
  const over = above?.cells.at(signalAt)?.text ?? '';
  const title = over === '' && (isOwn || signalAt === 2) ? (above?.cells.at(timeAt)?.text ?? '') : over;
  const [numbered = null, number, name] = NUMBERED.exec(title) ?? [];
  const at = number === undefined ? place : Number(number);
  const own = (numbered === null ? title : (name ?? '')).trim();
  const sample = NO_SAMPLE.test(own) ? (names.get(at) ?? '') : own;
  const well = `Cap.${at}`;
  return { well, sample: sample === '' ? well : sample };
}

/** Whether the last temperature is below the first. */
function isDescending(grid: Grid, rows: readonly GridRow[], index: number): boolean {
  const values = rows
    .map(({ cells }) => parseLocalNumber(cells.at(index)?.text ?? '', grid.decimal))
    .filter((value) => !Number.isNaN(value));
  return values.length > 1 && values[values.length - 1] < values[0];
}

function hasCells(rows: readonly GridRow[], index: number): boolean {
  return rows.some(({ cells }) => (cells.at(index)?.text ?? '') !== '');
}

function readCurve(
  grid: Grid,
  rows: readonly GridRow[],
  { temperatureAt, signalAt }: { temperatureAt: number; signalAt: number },
): Pick<MeltTrace, 'temperatureC' | 'signal'> {
  const builder = new CurveBuilder(grid);
  // A capillary may have fewer readings than the others; a gap before its last reading is an error.
  const last = rows.findLastIndex(({ cells }) => (cells.at(signalAt)?.text ?? '') !== '');
  for (const row of rows.slice(0, last + 1)) {
    const temperatureC = readGridNumber(grid, row, temperatureAt, 'a temperature in °C');
    builder.add(row, temperatureAt, temperatureC, readGridNumber(grid, row, signalAt, 'a signal'));
  }
  return builder.build();
}
