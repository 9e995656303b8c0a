/**
 * Plate-reader exports as blocks of values, one block per read. The name of a block states the measurement: two
 * wavelengths are fluorescence (excitation, emission), `A280` or `Absorbance 280` an absorbance, in AU unless its
 * name says mAU or mOD. Values that were calculated from reads are left out; a file of nothing else is refused. `OVER`,
 * `OVRFLW`, `SAT` and `*****` are overflows. The same file may hold blocks of a plate map.
 * This folder: values in the shape of a plate and the names of reads. Not here: blocks as plate maps share them.
 */
import type { PlateReading, PlateSet } from '../../curves/trace.ts';
import type { BlockFormat } from '../format.ts';
import { assertComplete, createGridError, parseLocalNumber } from '../reading/grid.ts';
import type { Grid } from '../reading/grid.ts';
import { createUnnamedContent } from '../wells/melt-curves.ts';
import { hasValues } from '../wells/blocks.ts';
import type { Block, Blocks } from '../wells/blocks.ts';
import { applyPlateMap, isMapBlock, parsePlateMap } from '../wells/plate-map.ts';
import { OVERFLOW } from '../wells/value-text.ts';
import { formatFound } from '../reading/fields.ts';
import { isCalculated, parseReadName } from './read-name.ts';
import type { ReadName } from './read-name.ts';

const THOUSANDTHS = /\bm(?:au|od|abs)\b/i;

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
  const reads = nameReads(grid, leaveOutCalculated(grid, blocks, notices));
  const readings = reads.flatMap(({ block, read }) => {
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

/** Returns the blocks that hold reads, and notes the others. Throws FormatError where none does. */
function leaveOutCalculated(grid: Grid, blocks: readonly Block[], notices: string[]): Block[] {
  const [calculated, reads] = [true, false].map((is) =>
    blocks.filter(({ name, label }) => (isCalculated(name) || isCalculated(label ?? '')) === is),
  );
  const [first] = calculated;
  if (reads.length === 0)
    throw createGridError(
      grid,
      { row: first.header },
      'a read as the instrument measured it, such as "485,528" or "A280" (export the raw data of the read)',
      `${formatFound(first.name)}, calculated from it`,
    );
  if (calculated.length > 0) {
    const names = calculated.map(({ name }) => formatFound(name)).join(', ');
    notices.push(`Values that were calculated from reads were left out: ${names}.`);
  }
  return reads;
}

/** Names the reads; labels tell reads of the same wavelengths apart. Throws FormatError for a second of one name. */
function nameReads(grid: Grid, blocks: readonly Block[]): { block: Block; read: ReadName }[] {
  const named = blocks.map((block) => ({ block, read: parseReadName(block.name, block.label) }));
  const byRead = Map.groupBy(named, ({ read }) => JSON.stringify(read));
  const distinct = named.map(({ block, read }) => {
    const isShared = (byRead.get(JSON.stringify(read)) ?? []).length > 1;
    return { block, read: isShared && block.label !== null ? { ...read, channel: block.name } : read };
  });
  const seen = new Set<string>();
  for (const { block, read } of distinct) {
    const key = JSON.stringify(read);
    if (seen.has(key))
      throw createGridError(
        grid,
        { row: block.header },
        'blocks with distinct names',
        `a second ${formatFound(block.name)}`,
      );
    seen.add(key);
  }
  return distinct;
}
