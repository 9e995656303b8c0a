/**
 * QuantStudio text exports: `* key = value` lines, an empty line, `[Melt Curve Raw Data]`, a tab-separated header
 * (Well, Well Position, Reading, Temperature, Fluorescence, …) and one line per reading; numbers have thousands
 * commas, and wells follow one another.
 */
import { formatCount } from '#core/words.ts';
import type { MeltSet } from '../../curves/trace.ts';
import type { MeltFormat } from '../format.ts';
import { formatFound, splitFields } from '../reading/grid.ts';
import type { InputFile } from '../reading/input-file.ts';
import { type Line, TextFile } from '../reading/text.ts';
import { CurveBuilder, parseWellName } from '../wells/melt-curves.ts';
import { addReading, buildCurves, makeGrid } from '../wells/numbered-readings.ts';
import type { NumberedCurve } from '../wells/numbered-readings.ts';

const SECTION = '[Melt Curve Raw Data]';
const COLUMNS = ['Well Position', 'Reading', 'Temperature', 'Fluorescence'];
const METADATA_MAX = 500;

export const quantstudio: MeltFormat = {
  id: 'quantstudio',
  name: 'QuantStudio',
  title: 'QuantStudio text',
  kind: 'melts',
  grouping: 'file',
  recognizes: ({ head }) => /^\uFEFF?\* [^=\r\n]+ =/.test(head),
  parse: ({ file }) => parseQuantStudio(file),
};

function parseQuantStudio(input: InputFile): MeltSet {
  const file = new TextFile(input);
  file.assertEndsWithLineEnd();
  const metadata: Record<string, string> = {};
  const lines = file.readLines();
  for (let next = lines.next(); ; next = lines.next()) {
    if (next.done === true) throw file.createError({ line: null }, `a line ${SECTION}`, 'end of file');
    const { text } = next.value;
    if (text.trim() === SECTION) break;
    const entry = /^\* ([^=]+?) = ?(.*)$/.exec(text);
    if (entry !== null && Object.keys(metadata).length < METADATA_MAX)
      metadata[entry[1].trim()] = entry[2].trim();
  }
  const header = lines.next();
  const names =
    header.done === true ? [] : splitFields(file, header.value, '\t').map(({ text }) => text.trim());
  const at = COLUMNS.map((name) => {
    const index = names.indexOf(name);
    if (index !== -1) return index;
    throw file.createError(
      { line: header.done === true ? null : header.value.number },
      `a column ${name}`,
      formatFound(names.join(', ')),
    );
  });
  const rows = readRows(file, lines, { names, at });
  return {
    format: 'quantstudio',
    instrument: metadata['Instrument Type'] ?? 'QuantStudio',
    plate: metadata['Experiment Name'] ?? null,
    metadata,
    notices: [],
    traces: buildCurves(rows),
  };
}

function readRows(
  file: TextFile,
  lines: Iterator<Line>,
  { names, at }: { names: string[]; at: number[] },
): Map<string, NumberedCurve> {
  const grid = makeGrid(file);
  const curves = new Map<string, NumberedCurve>();
  for (let next = lines.next(); next.done !== true; next = lines.next()) {
    const line = next.value;
    if (line.text.trim() === '') continue;
    if (line.text.startsWith('[')) break;
    const fields = splitFields(file, line, '\t');
    if (fields.length !== names.length)
      throw file.createError({ line: line.number }, formatCount(names.length, 'field'), `${fields.length}`);
    const [position, reading, temperature, fluorescence] = at.map((index) => fields[index]);
    const well = parseWellName(position.text.trim());
    if (well === null)
      throw file.createError(
        { line: line.number, column: position.column },
        'a well',
        formatFound(position.text),
      );
    const curve = curves.get(well) ?? { well, sample: well, builder: new CurveBuilder(grid), lastIndex: 0 };
    curves.set(well, curve);
    addReading(file, line, curve, { reading, temperature, signal: fluorescence }, grid);
  }
  return curves;
}
