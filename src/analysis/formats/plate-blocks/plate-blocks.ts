/**
 * Plate-reader exports as blocks of values, one block per read. The name of a block states the measurement: two
 * wavelengths are fluorescence (excitation, emission), `A280` or `Absorbance 280` an absorbance, in AU unless its
 * name says mAU or mOD. Values that were calculated from reads are left out; a file of nothing else is refused. `OVER`,
 * `OVRFLW`, `SAT` and `*****` are overflows. The same file may hold blocks of a plate map.
 * This folder: values in the shape of a plate and the names of reads. Not here: blocks as plate maps share them.
 */
import type { PlateReading, PlateSet } from '../../curves/trace.ts';
import type { BlockFormat } from '../format.ts';
import {
  assertComplete,
  createGridError,
  parseLocalNumber,
  type Grid,
  formatFound,
} from '../reading/grid.ts';
import { createUnnamedContent } from '../wells/melt-curves.ts';
import { hasValues, type Block, type Blocks, OVERFLOW } from '../wells/blocks.ts';
import { applyPlateMap, isMapBlock, parsePlateMap } from '../wells/plate-map.ts';

/**
 * What the name of a block says about its values: the read, or that they are calculated from reads. Wavelengths alone do
 * not make a fluorescence: `260/280` is a ratio of absorbances, and `450-570` a difference of two.
 */
type ReadName = Pick<PlateReading, 'channel' | 'exNm' | 'emNm' | 'gain'>;

const WAVELENGTH = String.raw`(\d{3})\s*(?:nm)?`;
const PAIR = new RegExp(String.raw`(?<!\d)${WAVELENGTH}\s*([/,;-]|em\w*:?)\s*(\d{3})(?!\d)`, 'i');
const ABSORBANCE = /(?:^|\b)(?:a|abs\w*|od)\s*_?\(?(\d{3})/i;
/** Two absorbances in one name: `A260/A280`, `OD 450-570`. */
const TWO_ABSORBANCES = new RegExp(
  String.raw`(?:^|[^a-z])(?:a|abs\w*|od)\s*_?\(?${WAVELENGTH}\)?\s*[/:-]\s*(?:a|abs\w*|od)?\s*_?\(?\d{3}`,
  'i',
);
const GAIN = /gain\s*[:=]?\s*(\d+(?:\.\d+)?)/i;
const FLUORESCENCE = /fluor|rfu|(?:^|[^a-z])(?:fl|fi|ex\w*|em\w*|[a-z]*fp)(?:$|[^a-z])/i;
/** Emission of a protein or a dye begins above this wavelength; below it, only absorbance is read. */
const EMISSION_MIN_NM = 300;

/** How readers and their software name what they calculate from reads. */
const CALCULATED =
  /^(?:mean|average|max|min|std|s\.?d\.|cv|r-?squared|r²|lag\s?time|onset|t at|time (?:to|at)|slope|area|integral|auc|blank|delta|δ|diff|ratio|corrected|normali[sz]ed|fold|z['′]|%)(?![a-z])/i;
/** A rate, or the sign of a difference or of a ratio, anywhere in a name. */
const CALCULATED_WITHIN =
  /(?:\/|per)\s*(?:s|sec|min|h|hour)(?![a-z])|(?:^|[^a-z])(?:ratio|delta|difference|minus)(?![a-z])|[Δ∆÷]/i;

/** Whether values of this name are calculated from reads, so that they are no intensity or absorbance. */
export function isCalculated(name: string): boolean {
  const text = name.trim();
  if (CALCULATED.test(text) || CALCULATED_WITHIN.test(text) || TWO_ABSORBANCES.test(text)) return true;
  if ((text.match(/\[/g)?.length ?? 0) > 1) return true;
  const pair = PAIR.exec(text);
  if (pair === null) return false;
  const [, first, between, second] = pair;
  if (Number(second) <= Math.max(Number(first), EMISSION_MIN_NM)) return true;
  return between === '-' && !FLUORESCENCE.test(text);
}

/** Returns the read that a name means. A label of a single wavelength right of a plate is an absorbance. */
function parseReadName(name: string, label: string | null): ReadName {
  const gainText = GAIN.exec(name)?.[1];
  const gain = gainText === undefined ? null : Number(gainText);
  const pair = PAIR.exec(name);
  if (pair !== null) return { channel: 'fluorescence', exNm: Number(pair[1]), emNm: Number(pair[3]), gain };
  const absorbance = ABSORBANCE.exec(name)?.[1] ?? /^(?:[^:]*:)?\s*(\d{3})$/.exec(label ?? '')?.[1];
  if (absorbance !== undefined) return { channel: `A${absorbance}`, exNm: null, emNm: null, gain };
  return { channel: name === '' ? 'value' : name, exNm: null, emNm: null, gain };
}

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
