/**
 * Plate maps: the content of each well, as blocks in the shape of the plate. Names of blocks: `sample` (or `protein`,
 * `name`, `id`), `role` (or `type`), `replicate`, `concentration` (with a unit in the cell or the name). Cells
 * `Empty` and `Buffer` are roles, not names. Other blocks are listed in the notices.
 */
import { isFormula } from '#core/csv.ts';
import type { MeltSet, PlateSet, WellContent, WellRole } from '../../curves/trace.ts';
import { WELL_ROLES } from '../../curves/trace.ts';
import { createGridError, parseLocalNumber, type Grid, formatFound } from '../reading/grid.ts';
import { parseWellName } from './melt-curves.ts';
import type { Block, BlockCell } from './blocks.ts';
import { MOLAR_UNITS_LOWER } from '../reading/units.ts';

export type PlateMap = Map<string, Partial<WellContent>>;

/** A plate map with the notices about it. */
export interface NotedMap {
  map: PlateMap;
  notices: string[];
}

type BlockKind = 'sample' | 'role' | 'replicate' | 'concentration';

const KEYS: Record<string, BlockKind> = {
  sample: 'sample',
  samples: 'sample',
  protein: 'sample',
  name: 'sample',
  id: 'sample',
  role: 'role',
  type: 'role',
  replicate: 'replicate',
  concentration: 'concentration',
  'compound concentration': 'concentration',
};
const ROLE_WORDS: Record<string, WellRole> = { empty: 'empty', buffer: 'blank', blank: 'blank' };
const MASS: Record<string, number> = {
  'ng/ul': 1,
  'ng/µl': 1,
  'ng/μl': 1,
  'ug/ml': 1,
  'µg/ml': 1,
  'μg/ml': 1,
  'mg/ml': 1e3,
};

function parseBlockKind({ name }: Block): BlockKind | null {
  const plain = name
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/\s*[([].*$/, '')
    .trim();
  return Object.hasOwn(KEYS, plain) ? KEYS[plain] : null;
}

export function isMapBlock(block: Block): boolean {
  return parseBlockKind(block) !== null;
}

/** Throws FormatError for a cell that its block does not allow. */
export function parsePlateMap(grid: Grid, blocks: readonly Block[], notices: string[]): PlateMap {
  const map: PlateMap = new Map();
  for (const block of blocks) {
    const key = parseBlockKind(block);
    if (key === null) notices.push(`The block ${formatFound(block.name)} of the plate map is not used.`);
    else for (const at of block.cells) setCell(grid, map, { key, at, block });
  }
  return map;
}

function setCell(
  grid: Grid,
  map: PlateMap,
  { key, at, block }: { key: BlockKind; at: BlockCell; block: Block },
): void {
  const text = unescapeFormula(at.cell.text);
  const content = map.get(at.well) ?? {};
  map.set(at.well, content);
  const word = text.toLowerCase();
  const role = Object.hasOwn(ROLE_WORDS, word) ? ROLE_WORDS[word] : undefined;
  const createExpectedError = (expected: string): Error =>
    createGridError(grid, at, expected, formatFound(text));
  if (key === 'sample') {
    if (text === '' || role === 'empty') content.role = 'empty';
    else if (role !== undefined) Object.assign(content, { role, sample: text });
    else content.sample = text;
    return;
  }
  if (text === '' || role === 'empty') return;
  if (key === 'role') {
    const known = role ?? WELL_ROLES.find((each) => each === word.replaceAll(' ', '_'));
    if (known === undefined) throw createExpectedError(`a role (${WELL_ROLES.join(', ')})`);
    content.role = known;
  } else if (key === 'replicate') {
    const number = parseLocalNumber(text, grid.decimal);
    if (!Number.isInteger(number) || number < 1) throw createExpectedError('a replicate number from 1');
    content.replicate = number;
  } else
    Object.assign(
      content,
      parseConcentration(text, block.name, grid) ?? raise(createExpectedError('a concentration with a unit')),
    );
}

/** Removes the apostrophe that keeps a spreadsheet from running a name as a formula. */
export function unescapeFormula(text: string): string {
  return text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text;
}

function raise(error: Error): never {
  throw error;
}

function parseConcentration(text: string, name: string, grid: Grid): Partial<WellContent> | null {
  const found = /^(.*?)\s*([a-zµμ]+(?:\/[a-zµμ]+)?)?$/i.exec(text);
  const value = parseLocalNumber(found?.[1] ?? '', grid.decimal);
  const unit = (found?.[2] ?? /[([]\s*([^)\]]+?)\s*[)\]]/.exec(name)?.[1] ?? '').toLowerCase();
  if (Number.isNaN(value) || value < 0) return null;
  if (Object.hasOwn(MOLAR_UNITS_LOWER, unit))
    return { concentrationM: Number((value * MOLAR_UNITS_LOWER[unit]).toPrecision(12)) };
  if (Object.hasOwn(MASS, unit)) return { concentrationNgPerUl: value * MASS[unit] };
  return null;
}

/** Returns the content of one well from the map; wells of the file that the map lacks stay unchanged. */
function applyMap(map: PlateMap, content: WellContent): WellContent {
  const entry = map.get(parseWellName(content.well) ?? content.well);
  return entry === undefined ? content : { ...content, ...entry };
}

/** Names the samples of a set, and lists the wells that only the set or only the map has. */
export function applyPlateMap<T extends MeltSet | PlateSet>(set: T, map: PlateMap): T {
  const wells = new Set(
    ('traces' in set ? set.traces : set.readings).map(({ well }) => parseWellName(well) ?? well),
  );
  const unmapped = [...wells].filter((well) => !map.has(well));
  const unread = [...map]
    .filter(([well, { role }]) => role !== 'empty' && !wells.has(well))
    .map(([well]) => well);
  const notices = [...set.notices];
  if (unmapped.length > 0) notices.push(`Wells that are not in the plate map: ${unmapped.join(', ')}.`);
  if (unread.length > 0) notices.push(`Wells of the plate map without data: ${unread.join(', ')}.`);
  const nameAll = <W extends WellContent>(all: W[]): W[] =>
    all.map((each) => ({ ...each, ...applyMap(map, each) }));
  return 'traces' in set
    ? { ...set, notices, traces: nameAll(set.traces) }
    : { ...set, notices, readings: nameAll(set.readings) };
}
