/**
 * The common part of our own file formats for wells: a first line that names the format, `# key: value` lines, a table of wells, an empty
 * line, and the header of the data.
 *
 *     well,role,sample,replicate,concentration_m,concentration_ng_per_ul
 *     A01,sample,design-1,1,,
 * This folder: what formats of plates and melting curves share: wells, plate maps, columns. Not here: anything that
 * knows one instrument.
 */
import { formatCount } from '#core/words.ts';
import { WELL_ROLES } from '../../curves/trace.ts';
import type { WellContent, WellRole } from '../../curves/trace.ts';
import { type Field, formatFound, parsePlainNumber, readNumber, splitFields } from '../reading/grid.ts';
import { LIMITS } from '../reading/input-file.ts';
import type { Line, TextFile } from '../reading/text.ts';

export const WELL_HEADER = 'well,role,sample,replicate,concentration_m,concentration_ng_per_ul';
const FIELDS = 6;
const NG_PER_UL_MAX = 1e9;

export interface WellTable {
  head: Map<string, string>;
  /** The wells in the order of the file. */
  wells: Map<string, WellContent>;
}

/** Whether the first line of a file, after an optional byte order mark, names this format. */
export function isMagicLine(head: string, name: string): boolean {
  return new RegExp(`^# ?${name}:`).test(head.replace(/^\uFEFF/, '').split(/\r|\n/, 1)[0]);
}

/** Reads up to and including `dataHeader`. */
export function readWellTable(
  file: TextFile,
  lines: Iterator<Line>,
  format: { name: string; version: string; dataHeader: string },
): WellTable {
  const head = readHead(file, lines, format);
  const wells = new Map<string, WellContent>();
  let ended = false;
  for (let next = lines.next(); next.done !== true; next = lines.next()) {
    const line = next.value;
    if (line.text === '') ended = true;
    else if (line.text === format.dataHeader) return { head, wells };
    else if (ended)
      throw file.createError(
        { line: line.number, column: 1 },
        `"${format.dataHeader}"`,
        formatFound(line.text),
      );
    else addWell(file, line, wells);
  }
  throw file.createError({ line: null }, `a line "${format.dataHeader}"`, 'end of file');
}

function readHead(
  file: TextFile,
  lines: Iterator<Line>,
  { name, version }: { name: string; version: string },
): Map<string, string> {
  const head = new Map<string, string>();
  for (let next = lines.next(); next.done !== true; next = lines.next()) {
    const line = next.value;
    if (line.text === WELL_HEADER) return head;
    if (line.text === '') continue;
    const entry = /^# ?([^:]+): ?(.*)$/.exec(line.text.replace(/^\uFEFF/, ''));
    if (entry === null)
      throw file.createError(
        { line: line.number, column: 1 },
        `"# key: value" or "${WELL_HEADER}"`,
        formatFound(line.text),
      );
    const [, key, value] = entry;
    if (head.size >= LIMITS.headLines)
      throw file.createError({ line: line.number }, `at most ${LIMITS.headLines} lines in the head`, 'more');
    if (line.number > 1) head.set(key, value.trim());
    else if (key !== name || value.trim() !== version)
      throw file.createError({ line: 1, column: 1 }, `"# ${name}: ${version}"`, formatFound(line.text));
  }
  throw file.createError({ line: null }, `a line "${WELL_HEADER}"`, 'end of file');
}

function addWell(file: TextFile, line: Line, wells: Map<string, WellContent>): void {
  const fields = splitFields(file, line);
  if (fields.length !== FIELDS)
    throw file.createError({ line: line.number }, `${FIELDS} fields (${WELL_HEADER})`, `${fields.length}`);
  const [well, role, sample, replicate, molar, mass] = fields;
  const throwExpected = (field: Field, expected: string): never => {
    throw file.createError({ line: line.number, column: field.column }, expected, formatFound(field.text));
  };
  if (well.text === '') throwExpected(well, 'the name of a well');
  if (wells.has(well.text)) throwExpected(well, 'a well that is not listed yet');
  if (wells.size >= LIMITS.traces) throwExpected(well, `at most ${LIMITS.traces} wells`);
  const known: WellRole =
    WELL_ROLES.find((each) => each === role.text) ?? throwExpected(role, `a role (${WELL_ROLES.join(', ')})`);
  if (sample.text === '' && known !== 'blank' && known !== 'empty')
    throwExpected(sample, 'the name of the sample');
  const number = replicate.text === '' ? 1 : parsePlainNumber(replicate.text);
  if (!Number.isInteger(number) || number < 1) throwExpected(replicate, 'a replicate number from 1');
  const readConcentration = (field: Field, what: string, most: number): number | null => {
    if (field.text === '') return null;
    const value = readNumber(file, line, field, what);
    return value >= 0 && value <= most ? value : throwExpected(field, `${what} between 0 and ${most}`);
  };
  wells.set(well.text, {
    well: well.text,
    role: known,
    sample: sample.text,
    replicate: number,
    concentrationM: readConcentration(molar, 'a concentration in M', 1),
    concentrationNgPerUl: readConcentration(mass, 'a concentration in ng/µL', NG_PER_UL_MAX),
  });
}

/** Returns the data of a line: its well and the other fields. */
export function readDataFields(
  file: TextFile,
  line: Line,
  wells: ReadonlyMap<string, WellContent>,
  header: string,
): { content: WellContent; fields: Field[] } {
  const fields = splitFields(file, line);
  const count = header.split(',').length;
  if (fields.length !== count) {
    const found = line.text === '' ? 'an empty line' : `${fields.length}`;
    throw file.createError({ line: line.number }, `${formatCount(count, 'field')} (${header})`, found);
  }
  const content = wells.get(fields[0].text);
  if (content === undefined)
    throw file.createError(
      { line: line.number, column: 1 },
      'a well of the table above',
      formatFound(fields[0].text),
    );
  return { content, fields };
}

/** Returns the header entries that have no field of their own in a set. */
export function getMetadata(
  head: ReadonlyMap<string, string>,
  known: ReadonlySet<string>,
): Record<string, string> {
  return Object.fromEntries([...head].filter(([key]) => !known.has(key)));
}
