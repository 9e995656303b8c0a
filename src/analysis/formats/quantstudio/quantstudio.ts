/**
 * Text exports of real-time PCR instruments with a melting stage.
 *
 * QuantStudio: `* key = value` lines, an empty line, `[Melt Curve Raw Data]`, a tab-separated header (Well, Well Position, Reading,
 * Temperature, Fluorescence, …) and one line per reading; numbers have thousands commas, wells stand one after the other.
 *
 * Mx3005P: a path, then a block `Segment 2 Plateau 1 Well 1` per well: a line with the dye, and lines index, signal, temperature.
 */
import type { MeltSet, MeltTrace } from '../../curves/trace.ts';
import { OPEN_END, gridError, localNumber } from '../reading/grid.ts';
import type { Grid, GridRow } from '../reading/grid.ts';
import { CurveBuilder, unnamedContent, wellName } from '../wells/melt-columns.ts';
import { LIMITS, TextFile, quoted, splitFields } from '../reading/text.ts';
import type { Field, InputFile, Line } from '../reading/text.ts';

const QUANTSTUDIO_SECTION = '[Melt Curve Raw Data]';
const QUANTSTUDIO_COLUMNS = ['Well Position', 'Reading', 'Temperature', 'Fluorescence'];
const MX_BLOCK = /^Segment\s+\d+\s+Plateau\s+\d+\s+Well\s+(\d+)\s*$/;
const METADATA_MAX = 500;

export function isQuantStudio(head: string): boolean {
  return /^\uFEFF?\* [^=\r\n]+ =/.test(head);
}

export function isMx3005p(head: string): boolean {
  return head.split(/\r\n|\r|\n/, 3).some((line) => MX_BLOCK.test(line));
}

interface Curve {
  well: string;
  sample: string;
  builder: CurveBuilder;
  lastIndex: number;
}

export function parseQuantStudio(input: InputFile): MeltSet {
  const file = new TextFile(input);
  file.assertClosed();
  const metadata: Record<string, string> = {};
  const lines = file.lines();
  for (let next = lines.next(); ; next = lines.next()) {
    if (next.done === true) throw file.error({ line: null }, `a line ${QUANTSTUDIO_SECTION}`, 'end of file');
    const { text } = next.value;
    if (text.trim() === QUANTSTUDIO_SECTION) break;
    const entry = /^\* ([^=]+?) = ?(.*)$/.exec(text);
    if (entry !== null && Object.keys(metadata).length < METADATA_MAX)
      metadata[entry[1].trim()] = entry[2].trim();
  }
  const header = lines.next();
  const names =
    header.done === true ? [] : splitFields(file, header.value, '\t').map(({ text }) => text.trim());
  const at = QUANTSTUDIO_COLUMNS.map((name) => {
    const index = names.indexOf(name);
    if (index !== -1) return index;
    throw file.error(
      { line: header.done === true ? null : header.value.number },
      `a column ${name}`,
      quoted(names.join(', ')),
    );
  });
  const rows = readRows(file, lines, { names, at });
  return {
    format: 'quantstudio',
    instrument: metadata['Instrument Type'] ?? 'QuantStudio',
    plate: metadata['Experiment Name'] ?? null,
    metadata,
    notices: [],
    traces: tracesOf(rows),
  };
}

function readRows(
  file: TextFile,
  lines: Iterator<Line>,
  { names, at }: { names: string[]; at: number[] },
): Map<string, Curve> {
  const grid = gridFor(file);
  const curves = new Map<string, Curve>();
  for (let next = lines.next(); next.done !== true; next = lines.next()) {
    const line = next.value;
    if (line.text.trim() === '') continue;
    if (line.text.startsWith('[')) break;
    const fields = splitFields(file, line, '\t');
    if (fields.length !== names.length)
      throw file.error({ line: line.number }, `${names.length} fields`, `${fields.length}`);
    const [position, reading, temperature, fluorescence] = at.map((index) => fields[index]);
    const well = wellName(position.text.trim());
    if (well === null)
      throw file.error({ line: line.number, column: position.column }, 'a well', quoted(position.text));
    const curve = curves.get(well) ?? { well, sample: well, builder: new CurveBuilder(grid), lastIndex: 0 };
    curves.set(well, curve);
    addReading(file, line, curve, { reading, temperature, signal: fluorescence }, grid);
  }
  return curves;
}

/** Errors of a curve name the lines of the file. */
function gridFor(file: TextFile): Grid {
  return { name: file.name, rows: [], decimal: '.', open: false };
}

function addReading(
  file: TextFile,
  line: Line,
  curve: Curve,
  at: { reading: Field; temperature: Field; signal: Field },
  grid: Grid,
): void {
  const row: GridRow = { number: line.number, cells: [at.temperature] };
  const number = (field: Field, what: string): number => {
    const value = localNumber(field.text.trim(), '.');
    if (Number.isNaN(value))
      throw gridError(grid, { row, cell: field }, `${what}, a finite number`, quoted(field.text));
    return value;
  };
  const index = number(at.reading, 'the number of the reading');
  if (index !== curve.lastIndex + 1) {
    const expected = `reading ${curve.lastIndex + 1} of well ${curve.well}`;
    throw file.error({ line: line.number, column: at.reading.column }, expected, quoted(at.reading.text));
  }
  curve.lastIndex = index;
  curve.builder.add(row, 0, number(at.temperature, 'a temperature in °C'), number(at.signal, 'a signal'));
}

/** All wells are read at every step: a shorter one was cut off. */
function tracesOf(curves: ReadonlyMap<string, Curve>): MeltTrace[] {
  const longest = Math.max(0, ...[...curves.values()].map((curve) => curve.lastIndex));
  return [...curves.values()].map((curve): MeltTrace => {
    if (curve.lastIndex < longest) {
      const found = `${curve.lastIndex} (the file looks cut off)`;
      throw curve.builder.error(`${longest} readings of well ${curve.well}, as of the others`, found);
    }
    return { ...unnamedContent(curve.well, curve.sample), channel: 'dye', ...curve.builder.build() };
  });
}

export function parseMx3005p(input: InputFile): MeltSet {
  const file = new TextFile(input, 'latin1');
  const grid = gridFor(file);
  const curves = new Map<string, Curve>();
  let curve: Curve | null = null;
  let path = '';
  let dye = '';
  let open = '';
  for (const line of file.lines()) {
    const block = MX_BLOCK.exec(line.text);
    open = line.text;
    if (block !== null) {
      const well = `well ${block[1]}`;
      if (curves.has(well))
        throw file.error({ line: line.number }, 'one block for each well', quoted(line.text));
      if (curves.size >= LIMITS.traces)
        throw file.error({ line: line.number }, `at most ${LIMITS.traces} wells`, 'more');
      curve = { well, sample: well, builder: new CurveBuilder(grid), lastIndex: 0 };
      curves.set(well, curve);
    } else if (line.text.trim() === '') continue;
    else if (curve === null) path = line.text.trim();
    else if (curve.lastIndex === 0 && /^\s*\t\s*[A-Za-z]/.test(line.text)) dye = line.text.trim();
    else readMxLine(file, line, curve, grid);
  }
  // The last line of this export has no end; its temperature always has one decimal, so a cut shows.
  if (!file.closed && !/\t\s*\d+\.\d\s*$/.test(open))
    throw file.error(
      { line: null },
      'a last line that is complete (the file looks cut off)',
      quoted(open.trim()),
    );
  if (curves.size === 0) throw file.error({ line: null }, 'a block Segment … Well …', 'end of file');
  return {
    format: 'mx3005p',
    instrument: 'Mx3005P',
    plate: null,
    metadata: { path, dye },
    notices: [
      'The Mx3005P export numbers its wells and does not name them.',
      ...(file.closed ? [] : [OPEN_END]),
    ],
    traces: tracesOf(curves),
  };
}

function readMxLine(file: TextFile, line: Line, curve: Curve, grid: Grid): void {
  const fields = splitFields(file, line, '\t').map(({ text, column }) => ({ text: text.trim(), column }));
  const [margin, reading, signal, temperature, ...rest] = fields;
  if (temperature === undefined || margin.text !== '' || rest.some(({ text }) => text !== ''))
    throw file.error({ line: line.number }, 'index, signal, temperature', quoted(line.text.trim()));
  addReading(file, line, curve, { reading, temperature, signal }, grid);
}
