/**
 * Writes the parts that our own files share: the head, and the table of wells.
 * This folder: writes our own formats, so that their parsers read the same again. Not here: parsers.
 */
import { writeDelimitedField } from '#core/csv.ts';
import type { WellContent, MeltSet, PlateSet } from '../../curves/trace.ts';
import { WELL_HEADER } from '../wells/well-table.ts';
import { OVERFLOW } from '../assayer-plate/assayer-plate.ts';

const VERSION = '1';

/** Returns the lines of a head; an entry without a value is left out. */
export function writeHead(format: string, entries: Readonly<Record<string, string | null>>): string[] {
  const stated = Object.entries(entries).flatMap(([key, value]) =>
    value === null || value === '' ? [] : [`# ${key}: ${value.replaceAll(/\s+/g, ' ').trim()}`],
  );
  return [`# ${format}: ${VERSION}`, ...stated];
}

const STANDARD_MASS = 'standard_mass_da';

/** Selects the only metadata that an analysis reads, where it is a number; other metadata may name anything. */
export function selectMetadata(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const mass = metadata[STANDARD_MASS] ?? '';
  return mass !== '' && Number.isFinite(Number(mass)) ? { [STANDARD_MASS]: mass } : {};
}

/** Returns the table of wells with its header, a line for each well. */
function writeWellTable(wells: Iterable<WellContent>): string[] {
  const lines = [WELL_HEADER];
  for (const { well, role, sample, replicate, concentrationM, concentrationNgPerUl } of wells) {
    const amounts = [concentrationM, concentrationNgPerUl].map(writeNumber);
    lines.push([writeText(well), role, writeText(sample), replicate, ...amounts].join(','));
  }
  return lines;
}

export function writeText(text: string): string {
  return writeDelimitedField(text.replaceAll(/[\r\n]+/g, ' '), ',');
}

/** The shortest decimal that reads back as the same number; empty for none. */
export function writeNumber(value: number | null): string {
  return value === null ? '' : String(value);
}

/** Ends every line, so that a truncated file is detected. */
export function joinLines(lines: readonly string[]): Uint8Array {
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

/** Returns the bytes of an `assayer-melts` file, from which the parser reads the same curves. */
export function writeAssayerMelts({ instrument, plate, traces }: MeltSet): Uint8Array {
  const wells = new Map(traces.map((trace) => [trace.well, trace]));
  const assumed = traces.find(({ isChannelAssumed }) => isChannelAssumed === true)?.channel ?? null;
  const lines = [
    ...writeHead('assayer-melts', { instrument, plate, assumed_channel: assumed }),
    ...writeWellTable(wells.values()),
    '',
    'well,channel,temperature_c,signal',
  ];
  for (const { well, channel, temperatureC, signal } of traces) {
    const start = `${writeText(well)},${writeText(channel)}`;
    temperatureC.forEach((at, index) => {
      lines.push(`${start},${writeNumber(at)},${writeNumber(signal[index])}`);
    });
  }
  return joinLines(lines);
}

/** Returns the bytes of an `assayer-plate` file, from which the parser reads the same values. */
export function writeAssayerPlate({ instrument, plate, unit, metadata, readings }: PlateSet): Uint8Array {
  const measured = readings.filter(({ value, saturated }) => value !== null || saturated);
  const wells = new Map(measured.map((reading) => [reading.well, reading]));
  const lines = [
    ...writeHead('assayer-plate', { instrument, plate, unit, ...selectMetadata(metadata) }),
    ...writeWellTable(wells.values()),
    '',
    'well,channel,ex_nm,em_nm,gain,value',
  ];
  for (const { well, channel, exNm, emNm, gain, value, saturated } of measured) {
    const light = [exNm, emNm, gain].map(writeNumber);
    lines.push(
      [writeText(well), writeText(channel), ...light, saturated ? OVERFLOW : writeNumber(value)].join(','),
    );
  }
  return joinLines(lines);
}
