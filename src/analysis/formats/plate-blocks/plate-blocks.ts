/**
 * Plate-reader exports as blocks of values, one block per read. The name of a block states the measurement: two
 * wavelengths are fluorescence (excitation, emission), `A280` or `Absorbance 280` an absorbance, in AU unless its
 * name says mAU or mOD. `OVER`, `OVRFLW`, `SAT` and `*****` are overflows. The same file may hold blocks of a plate
 * map.
 */
import type { PlateReading, PlateSet } from '../../curves/trace.ts';
import type { BlockFormat } from '../format.ts';
import { assertComplete, createGridError, parseLocalNumber } from '../reading/grid.ts';
import type { Grid } from '../reading/grid.ts';
import { createUnnamedContent } from '../wells/melt-curves.ts';
import { hasValues, OVERFLOW } from '../wells/blocks.ts';
import type { Block, Blocks } from '../wells/blocks.ts';
import { applyPlateMap, isMapBlock, parsePlateMap } from '../wells/plate-map.ts';
import { formatFound } from '../reading/fields.ts';

const EXCITATION_EMISSION = /(\d{3})\s*(?:nm)?\s*(?:[/,;-]|em\w*:?)\s*(\d{3})/i;
const ABSORBANCE = /(?:^|\b)(?:a|abs\w*|od)\s*_?\(?(\d{3})/i;
const THOUSANDTHS = /\bm(?:au|od|abs)\b/i;
const GAIN = /gain\s*[:=]?\s*(\d+(?:\.\d+)?)/i;

export const plateBlocks: BlockFormat = {
  id: 'plate-blocks',
  name: 'plate-reader blocks',
  title: 'plate-reader blocks, CSV or xlsx',
  kind: 'values',
  grouping: 'sheet',
  recognizes: ({ blocks }) => blocks.some((block) => !isMapBlock(block) && hasValues(block)),
  parse: parseReaderBlocks,
};

function parseReaderBlocks({ grid, ...found }: Blocks): PlateSet {
  const values = found.blocks.filter((block) => !isMapBlock(block));
  const notices: string[] = [];
  assertComplete(grid, notices);
  const set = buildReadings(grid, { ...found, blocks: values }, notices);
  const maps = found.blocks.filter(isMapBlock);
  return maps.length === 0 ? set : applyPlateMap(set, parsePlateMap(grid, maps, set.notices));
}

function buildReadings(grid: Grid, { blocks, metadata }: Omit<Blocks, 'grid'>, notices: string[]): PlateSet {
  const seen = new Set<string>();
  const readings = blocks.flatMap((block) => {
    const read = parseRead(block);
    const key = JSON.stringify(read);
    if (seen.has(key))
      throw createGridError(
        grid,
        { row: block.header },
        'blocks with distinct names',
        `a second ${formatFound(block.name)}`,
      );
    seen.add(key);
    const isThousandths = THOUSANDTHS.test(block.name);
    if (isThousandths) notices.push(`${block.name} is in thousandths and was divided by 1000.`);
    return block.cells.flatMap(({ well, row, cell }): PlateReading[] => {
      if (cell.text === '') return [];
      const saturated = OVERFLOW.test(cell.text);
      const number = parseLocalNumber(cell.text, grid.decimal);
      if (!saturated && Number.isNaN(number))
        throw createGridError(grid, { row, cell }, `a value of well ${well}`, formatFound(cell.text));
      const value = saturated ? null : isThousandths ? number / 1000 : number;
      return [{ ...createUnnamedContent(well), ...read, value, saturated }];
    });
  });
  const instrument = metadata.Instrument ?? metadata.Reader ?? metadata['Reader Type'] ?? null;
  const plate = metadata.Plate ?? metadata['Plate ID'] ?? null;
  return { format: 'plate-blocks', instrument, plate, unit: null, metadata, notices, readings };
}

function parseRead({ name }: Block): Pick<PlateReading, 'channel' | 'exNm' | 'emNm' | 'gain'> {
  const gainText = GAIN.exec(name)?.[1];
  const gain = gainText === undefined ? null : Number(gainText);
  const pair = EXCITATION_EMISSION.exec(name);
  if (pair !== null) return { channel: 'fluorescence', exNm: Number(pair[1]), emNm: Number(pair[2]), gain };
  const absorbance = ABSORBANCE.exec(name)?.[1];
  if (absorbance !== undefined) return { channel: `A${absorbance}`, exNm: null, emNm: null, gain };
  return { channel: name === '' ? 'value' : name, exNm: null, emNm: null, gain };
}
