/**
 * Writes the parts that our own files share: the head, and the table of wells.
 * This folder: writes our own formats, so that their parsers read the same again. Not here: parsers.
 */
import { writeDelimitedField } from '#core/csv.ts';
import type { WellContent } from '../../curves/trace.ts';
import { WELL_HEADER } from '../wells/well-table.ts';

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
export function writeWellTable(wells: Iterable<WellContent>): string[] {
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
