/**
 * The titles of curves: free text that ends with a concentration, or fields between semicolons
 * (`Run 1; Ch 2; Fc 2-1; Cy 4; <sample>; Conc 100 nM`), of which the one before the concentration is the sample.
 */
import { createGridError, parseLocalNumber } from '../reading/grid.ts';
import type { DecimalMark, Grid, GridRow } from '../reading/grid.ts';
import { MOLAR_UNITS_LOWER } from '../reading/units.ts';

export interface Title {
  /** Empty where the title names none. */
  sample: string;
  replicate: number;
  /** Null where the title has none with a unit, or several. */
  concentrationM: number | null;
}

export const FIELD_SEPARATOR = ';';
export const CYCLE = /^cycle:?\s*(\d+)\s*/i;
const CONCENTRATION = /(?:^|\s)(\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?)\s*(p|n|u|µ|μ|m)?M(?![\w])/g;
const FIELD = /^(?:(run|ch|fc|cy)\s+([\d,-]+)|(conc)\s+(.*))$/i;

/**
 * Parses the titles of a file. Curves of one sample in several channels are on several surfaces, so each channel is a
 * replicate of its own. Throws FormatError for curves of several flow cells, which are no replicates of each other.
 */
export function parseTitles(grid: Grid, header: GridRow, names: readonly string[]): Title[] {
  const all = names.map((name) => parseFields(name, grid.decimal) ?? parseText(name, grid.decimal));
  const cells = [...new Set(all.flatMap(({ flowCell }) => flowCell ?? []))];
  if (cells.length > 1)
    throw createGridError(
      grid,
      { row: header },
      'the curves of one flow cell, best with the reference subtracted, such as Fc 2-1 (export a file for each)',
      `Fc ${cells.join(', ')}`,
    );
  const channels = new Map(
    [...Map.groupBy(all, ({ sample }) => sample)].map(([sample, ofSample]) => [
      sample,
      [...new Set(ofSample.map(({ channel }) => channel))],
    ]),
  );
  return all.map(({ sample, channel, concentrationM }) => {
    return { sample, replicate: (channels.get(sample) ?? []).indexOf(channel) + 1, concentrationM };
  });
}

interface ParsedTitle {
  sample: string;
  concentrationM: number | null;
  channel: string | null;
  flowCell: string | null;
}

/** Returns null for a title without such fields. */
function parseFields(name: string, decimal: DecimalMark): ParsedTitle | null {
  if (!name.includes(FIELD_SEPARATOR)) return null;
  const fields = name.split(FIELD_SEPARATOR).map((text) => {
    const [, key, value, conc, amount] = FIELD.exec(text.trim()) ?? [];
    return { text: text.trim(), key: (key ?? conc)?.toLowerCase(), value: value ?? amount };
  });
  if (fields.every(({ key }) => key === undefined)) return null;
  const get = (wanted: string): string | null => fields.find(({ key }) => key === wanted)?.value ?? null;
  const at = fields.findIndex(({ key }) => key === 'conc');
  const names = fields.slice(0, at === -1 ? undefined : at).filter(({ key }) => key === undefined);
  return {
    sample: names.at(-1)?.text ?? '',
    concentrationM: parseConcentration(get('conc') ?? '', decimal)?.concentrationM ?? null,
    channel: get('ch'),
    flowCell: get('fc'),
  };
}

/** Takes the text before the concentration as the sample. */
function parseText(name: string, decimal: DecimalMark): ParsedTitle {
  const concentration = parseConcentration(name, decimal);
  const sample = name.slice(0, concentration?.at).replace(CYCLE, '').trim();
  return { sample, concentrationM: concentration?.concentrationM ?? null, channel: null, flowCell: null };
}

/** Returns the concentration in a text and where it begins, null within it where several readings are possible. */
function parseConcentration(
  text: string,
  decimal: DecimalMark,
): { at: number; concentrationM: number | null } | null {
  const all = [...text.matchAll(CONCENTRATION)];
  const [found] = all;
  if (found === undefined) return null;
  const at = found.index;
  const marks: readonly DecimalMark[] = decimal === '.' ? ['.', ','] : [',', '.'];
  const number = marks.map((mark) => parseLocalNumber(found[1], mark)).find((value) => !Number.isNaN(value));
  if (number === undefined || all.length > 1) return { at, concentrationM: null };
  const molar = number * MOLAR_UNITS_LOWER[`${found[2] ?? ''}m`];
  return { at, concentrationM: Number(molar.toPrecision(12)) };
}
