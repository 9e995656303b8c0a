/**
 * Our own plate-reader file, CSV in UTF-8: the table of wells (see `well-table.ts`), then single values.
 *
 *     # assayer-plate: 1
 *     # instrument: Reader
 *     # plate: P1
 *     # unit: RFU
 *     well,role,sample,replicate,concentration_m,concentration_ng_per_ul
 *     A01,sample,design-1,1,,
 *
 *     well,channel,ex_nm,em_nm,gain,value
 *     A01,fluorescence,485,520,80,15230
 *
 * `ex_nm`, `em_nm` and `gain` may be empty. `OVER` stands for a value beyond the range of the detector. The last line ends with a line end.
 */
import type { PlateReading, PlateSet, WellContent } from '../../curves/trace.ts';
import type { PlateFormat } from '../format.ts';
import { type Field, formatFound, readNumber } from '../reading/grid.ts';
import { type InputFile, LIMITS } from '../reading/input-file.ts';
import { type Line, TextFile } from '../reading/text.ts';
import { readDataFields, getMetadata, readWellTable, isMagicLine } from '../wells/well-table.ts';

const FORMAT = { name: 'assayer-plate', version: '1', dataHeader: 'well,channel,ex_nm,em_nm,gain,value' };
const KNOWN_KEYS = new Set(['instrument', 'plate', 'unit']);
export const OVERFLOW = 'OVER';
const NM_MAX = 10_000;

export const assayerPlate: PlateFormat = {
  id: FORMAT.name,
  name: 'assayer-plate CSV',
  title: 'our own values of wells, CSV',
  kind: 'values',
  grouping: 'file',
  recognizes: ({ head }) => isMagicLine(head, FORMAT.name),
  parse: ({ file }) => parseAssayerPlate(file),
};

function parseAssayerPlate(input: InputFile): PlateSet {
  const file = new TextFile(input);
  file.assertEndsWithLineEnd();
  const lines = file.readLines();
  const { head, wells } = readWellTable(file, lines, FORMAT);
  const readings = readValues(file, lines, wells);
  const seen = new Set(readings.map(({ well }) => well));
  const missing = [...wells.values()].find(({ well, role }) => role !== 'empty' && !seen.has(well));
  if (missing !== undefined)
    throw file.createError({ line: null }, `a value of well ${missing.well}`, 'none in the file');
  return {
    format: FORMAT.name,
    instrument: head.get('instrument') ?? null,
    plate: head.get('plate') ?? null,
    unit: head.get('unit') ?? null,
    metadata: getMetadata(head, KNOWN_KEYS),
    notices: [],
    readings,
  };
}

function readValues(
  file: TextFile,
  lines: Iterator<Line>,
  wells: ReadonlyMap<string, WellContent>,
): PlateReading[] {
  const readings: PlateReading[] = [];
  const known = new Set<string>();
  for (let next = lines.next(); next.done !== true; next = lines.next()) {
    const line = next.value;
    const { content, fields } = readDataFields(file, line, wells, FORMAT.dataHeader);
    const [, channel, ex, em, gain, value] = fields;
    const key = JSON.stringify([content.well, channel.text, ex.text, em.text, gain.text]);
    if (channel.text === '')
      throw file.createError({ line: line.number }, 'the name of a channel', 'nothing');
    if (known.has(key)) {
      const expected = `one value of well ${content.well} for ${channel.text}`;
      throw file.createError({ line: line.number, column: 1 }, expected, 'a second one');
    }
    if (known.size >= LIMITS.readings)
      throw file.createError({ line: line.number }, `at most ${LIMITS.readings} values`, 'more');
    known.add(key);
    const saturated = value.text === OVERFLOW;
    readings.push({
      ...content,
      channel: channel.text,
      exNm: readOptional(file, line, ex, 'a wavelength in nm'),
      emNm: readOptional(file, line, em, 'a wavelength in nm'),
      gain: readOptional(file, line, gain, 'a gain'),
      value: saturated ? null : readNumber(file, line, value, `a value or ${OVERFLOW}`),
      saturated,
    });
  }
  return readings;
}

function readOptional(file: TextFile, line: Line, field: Field, what: string): number | null {
  if (field.text === '') return null;
  const value = readNumber(file, line, field, what);
  if (value >= 0 && value <= NM_MAX) return value;
  throw file.createError(
    { line: line.number, column: field.column },
    `${what} up to ${NM_MAX}`,
    formatFound(field.text),
  );
}
