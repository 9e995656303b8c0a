/**
 * Mx3005P text exports: a path, then a block `Segment 2 Plateau 1 Well 1` per well: a line with the dye, and lines index, signal,
 * temperature.
 */
import type { MeltSet } from '../../curves/trace.ts';
import type { MeltFormat } from '../format.ts';
import { OPEN_END, type Grid, formatFound, splitFields } from '../reading/grid.ts';
import { type InputFile, LIMITS } from '../reading/input-file.ts';
import { type Line, TextFile } from '../reading/text.ts';
import { CurveBuilder } from '../wells/melt-curves.ts';
import { addReading, buildCurves, makeGrid } from '../wells/numbered-readings.ts';
import type { NumberedCurve } from '../wells/numbered-readings.ts';

const BLOCK = /^Segment\s+\d+\s+Plateau\s+\d+\s+Well\s+(\d+)\s*$/;

export const mx3005p: MeltFormat = {
  id: 'mx3005p',
  name: 'Mx3005P',
  title: 'Mx3005P text',
  kind: 'melts',
  grouping: 'file',
  recognizes: ({ head }) => head.split(/\r\n|\r|\n/, 3).some((line) => BLOCK.test(line)),
  parse: ({ file }) => parseMx3005p(file),
};

function parseMx3005p(input: InputFile): MeltSet {
  const file = new TextFile(input, 'windows-1252');
  const grid = makeGrid(file);
  const curves = new Map<string, NumberedCurve>();
  let curve: NumberedCurve | null = null;
  let path = '';
  let dye = '';
  let open = '';
  for (const line of file.readLines()) {
    const block = BLOCK.exec(line.text);
    open = line.text;
    if (block !== null) {
      const well = `well ${block[1]}`;
      if (curves.has(well))
        throw file.createError({ line: line.number }, 'one block for each well', formatFound(line.text));
      if (curves.size >= LIMITS.traces)
        throw file.createError({ line: line.number }, `at most ${LIMITS.traces} wells`, 'more');
      curve = { well, sample: well, builder: new CurveBuilder(grid), lastIndex: 0 };
      curves.set(well, curve);
    } else if (line.text.trim() === '') continue;
    else if (curve === null) path = line.text.trim();
    else if (curve.lastIndex === 0 && /^\s*\t\s*[A-Za-z]/.test(line.text)) dye = line.text.trim();
    else readMxLine(file, line, curve, grid);
  }
  // The last line of this export has no line end; its temperature always has one decimal, so truncation is detected.
  if (!file.endsWithLineEnd && !/\t\s*\d+\.\d\s*$/.test(open))
    throw file.createError(
      { line: null },
      'a last line that is complete (the file looks cut off)',
      formatFound(open.trim()),
    );
  if (curves.size === 0) throw file.createError({ line: null }, 'a block Segment … Well …', 'end of file');
  return {
    format: 'mx3005p',
    instrument: 'Mx3005P',
    plate: null,
    metadata: { path, dye },
    notices: [
      'The Mx3005P export numbers its wells and does not name them.',
      ...(file.endsWithLineEnd ? [] : [OPEN_END]),
    ],
    traces: buildCurves(curves),
  };
}

function readMxLine(file: TextFile, line: Line, curve: NumberedCurve, grid: Grid): void {
  const fields = splitFields(file, line, '\t').map(({ text, column }) => ({ text: text.trim(), column }));
  const [margin, reading, signal, temperature, ...rest] = fields;
  if (temperature === undefined || margin.text !== '' || rest.some(({ text }) => text !== ''))
    throw file.createError(
      { line: line.number },
      'index, signal, temperature',
      formatFound(line.text.trim()),
    );
  addReading(file, line, curve, { reading, temperature, signal }, grid);
}
