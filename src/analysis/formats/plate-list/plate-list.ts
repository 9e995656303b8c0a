/**
 * Plate maps as a list of wells, as the planner of runs writes them: the header
 * `plate,well,role,sample,replicate,concentration_m` and a row for each filled well of one plate. A `reference` is a
 * sensor without protein; a file of wells has none, so it is read as a blank.
 */
import type { WellContent, WellRole } from '../../curves/trace.ts';
import { WELL_ROLES } from '../../curves/trace.ts';
import type { MapFormat } from '../format.ts';
import {
  assertComplete,
  createGridError,
  parseLocalNumber,
  type Grid,
  type GridRow,
  formatFound,
} from '../reading/grid.ts';
import { parseWellName } from '../wells/melt-curves.ts';
import { unescapeFormula } from '../wells/plate-map.ts';
import type { PlateMap } from '../wells/plate-map.ts';

const HEADER = ['plate', 'well', 'role', 'sample', 'replicate', 'concentration_m'];

export const plateList: MapFormat = {
  id: 'plate-list',
  name: 'plate map as a list',
  title: 'plate map as a list of wells',
  kind: 'map',
  grouping: 'sheet',
  recognizes: ({ grid }) =>
    grid.rows
      .at(0)
      ?.cells.map(({ text }) => text)
      .join() === HEADER.join(),
  parse: ({ grid }) => ({ map: parseRows(grid), notices: [] }),
};

function parseRows(grid: Grid): PlateMap {
  assertComplete(grid, []);
  const map: PlateMap = new Map();
  const [, first] = grid.rows;
  for (const row of grid.rows.slice(1)) {
    const { plate, well, content } = parseRow(grid, row);
    if (plate !== first.cells[0].text)
      throw createGridError(
        grid,
        { row, cell: row.cells[0] },
        `wells of one plate, ${formatFound(first.cells[0].text)}`,
        formatFound(plate),
      );
    if (map.has(well))
      throw createGridError(
        grid,
        { row, cell: row.cells[1] },
        'a well that is not listed yet',
        formatFound(well),
      );
    map.set(well, content);
  }
  return map;
}

function parseRow(grid: Grid, row: GridRow): { plate: string; well: string; content: Partial<WellContent> } {
  if (row.cells.length !== HEADER.length)
    throw createGridError(
      grid,
      { row },
      `${HEADER.length} fields (${HEADER.join(',')})`,
      `${row.cells.length}`,
    );
  const [plate, well, role, sample, replicate, concentration] = row.cells;
  const throwExpected = (cell: GridRow['cells'][number], expected: string): never => {
    throw createGridError(grid, { row, cell }, expected, formatFound(cell.text));
  };
  const name = parseWellName(well.text) ?? throwExpected(well, 'the name of a well');
  const known: WellRole =
    role.text === 'reference'
      ? 'blank'
      : (WELL_ROLES.find((each) => each === role.text) ??
        throwExpected(role, `a role (${[...WELL_ROLES, 'reference'].join(', ')})`));
  const number = parseLocalNumber(replicate.text, grid.decimal);
  if (!Number.isInteger(number) || number < 1) throwExpected(replicate, 'a replicate number from 1');
  const content: Partial<WellContent> = {
    role: known,
    sample: unescapeFormula(sample.text),
    replicate: number,
  };
  if (concentration.text === '') return { plate: plate.text, well: name, content };
  const concentrationM = parseLocalNumber(concentration.text, grid.decimal);
  if (!(concentrationM >= 0 && concentrationM <= 1))
    throwExpected(concentration, 'a concentration between 0 and 1 M');
  return { plate: plate.text, well: name, content: { ...content, concentrationM } };
}
