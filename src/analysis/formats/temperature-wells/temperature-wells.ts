/**
 * Melting curves as a table of temperature × wells, in delimited text or a worksheet: the first column is the
 * temperature of all others (`Temperature, A1, A2, …`; a header that is not a well is kept as the name of its column
 * and reported).
 */
import type { MeltSet } from '../../curves/trace.ts';
import type { MeltFormat } from '../format.ts';
import { createGridError, readGrid, type Grid, type GridRow, formatFound } from '../reading/grid.ts';
import { nameCapillaries } from '../wells/capillary-names.ts';
import {
  assertCelsius,
  findColumns,
  readFirstHeader,
  isTemperature,
  readColumns,
  createUnnamedContent,
  parseWellName,
} from '../wells/melt-curves.ts';
import type { MeltColumn } from '../wells/melt-curves.ts';

export const temperatureWells: MeltFormat = {
  id: 'temperature-wells',
  name: 'temperature × well table',
  title: 'temperature × well table, CSV or xlsx',
  kind: 'melts',
  grouping: 'file',
  recognizes: ({ head, sheets }) =>
    sheets === null ? isTemperature(readFirstHeader(head)) : findColumns(sheets) !== null,
  parse({ file, sheets }) {
    const sheet = sheets === null ? null : findColumns(sheets);
    return sheets === null || sheet === null
      ? parseTable(readGrid(file))
      : nameCapillaries(parseTable(sheet), sheets);
  },
};

function parseTable(grid: Grid): MeltSet {
  const header = grid.rows.at(0);
  if (header === undefined) throw createGridError(grid, { row: null }, 'a header line', 'an empty file');
  const notices: string[] = [];
  const columns = readWellColumns(grid, header, notices);
  const traces = readColumns(grid, columns, notices);
  return { format: 'temperature-wells', instrument: null, plate: null, metadata: {}, notices, traces };
}

function readWellColumns(grid: Grid, header: GridRow, notices: string[]): MeltColumn[] {
  const [temperature, ...others] = header.cells;
  if (!isTemperature(temperature.text))
    throw createGridError(
      grid,
      { row: header, cell: temperature },
      'Temperature as the first header',
      formatFound(temperature.text),
    );
  assertCelsius(grid, header, temperature);
  if (others.length === 0) throw createGridError(grid, { row: header }, 'a column for each well', 'none');
  const unnamed: string[] = [];
  const seen = new Set<string>();
  const columns = others.map((cell, i): MeltColumn => {
    const well = parseWellName(cell.text);
    if (well === null) unnamed.push(`${i + 2} (${cell.text === '' ? 'no header' : cell.text})`);
    const name =
      well ?? (cell.text === '' || parseWellName(cell.text) !== null ? `column ${i + 2}` : cell.text);
    const id = seen.has(name) && well === null ? `${name} (column ${i + 2})` : name;
    if (seen.has(id))
      throw createGridError(
        grid,
        { row: header, cell },
        'a well that has no column yet',
        formatFound(cell.text),
      );
    seen.add(id);
    const content = createUnnamedContent(id);
    return { content, channel: 'dye', isChannelAssumed: true, temperatureAt: 0, signalAt: i + 1 };
  });
  if (unnamed.length > 0) notices.push(`Columns without the name of a well: ${unnamed.join(', ')}.`);
  return columns;
}
