/**
 * X–Y text of SPR and BLI evaluation software: tab separated, Windows-1252, one pair of columns per curve, headed
 * `Cycle: 3 <sample> 100 nM_X` and `…_Y`, or with fields as `titles.ts` reads them; pairs of fitted curves are not read. Columns may differ in length, and points
 * may be missing: a pair without a time or a signal is left out and counted in a notice. Times count from the
 * injection; the file does not state where association ends.
 * This folder: X–Y text and the titles of its curves. Not here: other text of sensors.
 */
import { StepBuilder } from '../../curves/trace.ts';
import type { Trace, TraceSet, TraceStep } from '../../curves/trace.ts';
import type { TraceFormat } from '../format.ts';
import {
  assertComplete,
  createGridError,
  readGridNumber,
  readGrid,
  type Grid,
  type GridRow,
  formatFound,
} from '../reading/grid.ts';
import { type InputFile, LIMITS } from '../reading/input-file.ts';
import { CYCLE, FIELD_SEPARATOR, parseTitles } from './titles.ts';
import type { Title } from './titles.ts';

export const xyText: TraceFormat = {
  id: 'xy-text',
  name: 'X–Y text',
  title: 'X–Y text, `Cycle: 3 <sample> 100 nM_X`, `…_Y`',
  kind: 'traces',
  grouping: 'file',
  recognizes({ head }) {
    const first = head
      .replace(/^\uFEFF/, '')
      .split(/\r|\n/, 1)[0]
      .replaceAll('"', '');
    const [x, y] = first.split('\t');
    return y !== undefined && /_X\s*$/.test(x) && /_Y\s*$/.test(y);
  },
  parse: parseXyText,
};

interface Pair {
  name: string;
  at: number;
}

function parseXyText(input: InputFile): TraceSet {
  const grid = readGrid(input, '\t');
  const [header] = grid.rows;
  const pairs = findPairs(grid, header);
  const notices: string[] = [
    'The X–Y text does not state the association length: set association_s. For single-cycle kinetics, assign each trace its injections_m and injection_starts_s.',
  ];
  assertComplete(grid, notices);
  const cutNames = findNamesBeforeNumbers(pairs.map(({ name }) => name));
  const titles = parseTitles(
    grid,
    header,
    pairs.map(({ name }) => name),
  );
  const read = pairs.map((pair, index) => toTrace(grid, pair, { title: titles[index], index }));
  const gaps = describeMissing(read);
  if (gaps !== null) notices.push(gaps);
  const traces = read.map(({ trace }, index) => {
    const sample = trace.concentrationM === null ? cutNames.get(pairs[index].name) : undefined;
    return sample === undefined ? trace : { ...trace, sample };
  });
  if (traces.some((trace) => trace.concentrationM === null))
    notices.push(
      'The headers of some curves have no concentration with a unit, or several: state the concentration in the settings.',
    );
  return {
    format: 'xy-text',
    technique: null,
    signalUnit: null,
    instrument: null,
    plate: null,
    metadata: {},
    notices,
    traces,
  };
}

function findPairs(grid: Grid, header: GridRow): Pair[] {
  const cells = header.cells.filter(({ text }, i) => text !== '' || i < header.cells.length - 1);
  const pairs: Pair[] = [];
  for (let at = 0; at < cells.length; at += 2) {
    const x = cells[at];
    const y = cells.at(at + 1);
    const name = x.text.replace(/_X$/, '');
    if (!x.text.endsWith('_X'))
      throw createGridError(
        grid,
        { row: header, cell: x },
        'a header that ends with _X',
        formatFound(x.text),
      );
    if (y?.text !== `${name}_Y`)
      throw createGridError(grid, { row: header, cell: y ?? x }, `${name}_Y`, formatFound(y?.text ?? ''));
    if (!/fitted/i.test(name)) pairs.push({ name, at });
    if (pairs.length > LIMITS.traces)
      throw createGridError(grid, { row: header }, `at most ${LIMITS.traces} curves`, 'more');
  }
  if (pairs.length === 0)
    throw createGridError(grid, { row: header }, 'a pair of columns that is not a fit', 'none');
  return pairs;
}

/** How evaluation software writes a point that it does not have. */
const NO_VALUE = /^(?:|nan|n\/?a|#n\/a|null)$/i;

function toTrace(
  grid: Grid,
  { name, at }: Pair,
  { title, index }: { title: Title; index: number },
): { trace: Trace; missing: number } {
  const before = new StepBuilder('baseline', 0);
  const after = new StepBuilder('unsegmented', 0);
  let missing = 0;
  // Empty pairs after the last point only mean that other curves are longer.
  let empty = 0;
  for (const row of grid.rows.slice(1)) {
    const [x, y] = [row.cells.at(at)?.text ?? '', row.cells.at(at + 1)?.text ?? ''];
    if (x === '' && y === '') {
      empty += 1;
      continue;
    }
    missing += empty;
    empty = 0;
    if (row === grid.rows.at(-1) && row.cells.length <= at + 1)
      throw createGridError(grid, { row }, `a signal of the curve ${name}`, 'end of line');
    if (NO_VALUE.test(x) || NO_VALUE.test(y)) {
      missing += 1;
      continue;
    }
    const timeS = readGridNumber(grid, row, at, 'a time in s');
    const lastS = Math.max(before.lastTimeS, after.lastTimeS);
    if (timeS <= lastS)
      throw createGridError(
        grid,
        { row, cell: row.cells.at(at) ?? null },
        `a time after ${lastS} s`,
        `${timeS} s`,
      );
    const step = timeS < 0 ? before : after;
    step.push(timeS, readGridNumber(grid, row, at + 1, 'a signal'));
  }
  const steps: TraceStep[] = [before.build(), after.build()].filter(({ timeS }) => timeS.length > 0);
  if (steps.length === 0) {
    const [header] = grid.rows;
    const found = missing === 0 ? 'none' : `${missing} pairs that lack their time or their signal`;
    throw createGridError(
      grid,
      { row: header, cell: header.cells.at(at) ?? null },
      `points of the curve ${name}`,
      found,
    );
  }
  const { sample, replicate, concentrationM } = title;
  const trace: Trace = {
    id: name === '' ? `curve ${index + 1}` : name,
    well: null,
    role: 'sample',
    sample: sample === '' ? 'sample' : sample,
    ...(sample === '' ? { isUnnamed: true } : {}),
    replicate,
    concentrationM,
    steps,
  };
  return { trace, missing };
}

/** Lists the curves that lack points; null where none does. */
function describeMissing(read: readonly { trace: Trace; missing: number }[]): string | null {
  const gaps = read.filter(({ missing }) => missing > 0);
  if (gaps.length === 0) return null;
  const total = gaps.reduce((sum, { missing }) => sum + missing, 0);
  const list = gaps.slice(0, LISTED_MAX).map(({ trace, missing }) => `${trace.id}: ${missing}`);
  const rest = gaps.length > LISTED_MAX ? ', …' : '';
  return `${total} ${total === 1 ? 'pair' : 'pairs'} of the X–Y text without a time or a signal ${total === 1 ? 'was' : 'were'} left out (${list.join(', ')}${rest}).`;
}

const LISTED_MAX = 10;

/**
 * A number at the end of a title, with the possible remainder of its unit: titles are truncated at a fixed length.
 */
const NUMBER_AT_END =
  /^(.*\S)\s+(?:\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?)\s*((?:[pnuµμm]|[pnuµμm]?[gM](?:\/.*)?)?)$/;

/**
 * Finds the samples of titles like `mAb 12.5`, `mAb 25 µg`: if one curve of a name has a unit, or part of one, the
 * numbers of all its curves are concentrations. `design 1` and `design 2` stay two samples.
 */
function findNamesBeforeNumbers(titles: readonly string[]): Map<string, string> {
  const found = titles.flatMap((title) => {
    if (title.includes(FIELD_SEPARATOR)) return [];
    const [, name, unit] = NUMBER_AT_END.exec(title.replace(CYCLE, '').trim()) ?? [];
    return name === undefined ? [] : [{ title, name: name.trim(), hasUnit: unit !== '' }];
  });
  const measured = new Set(found.flatMap(({ name, hasUnit }) => (hasUnit ? name : [])));
  return new Map(found.flatMap(({ title, name }) => (measured.has(name) ? [[title, name] as const] : [])));
}
