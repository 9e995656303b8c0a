/** Sample names of capillaries from the sheet `Overview` of a workbook. */
import type { MeltSet, MeltTrace } from '../../curves/trace.ts';
import type { Sheet } from '../reading/xlsx.ts';

const SAMPLE_HEADER = /^sample\s*id$/i;

/** Names by the position of the capillary, from 1; a capillary without a name has an empty row or none. */
export type CapillaryNames = ReadonlyMap<number, string>;

/** Reads the column under `Sample ID` of the sheet `Overview`, one row per capillary; empty without the sheet. */
export function readOverview(sheets: readonly Sheet[]): CapillaryNames {
  const overview = sheets.find(({ sheet }) => sheet.trim() === 'Overview');
  const isHead = ({ text }: { text: string }): boolean => SAMPLE_HEADER.test(text.trim());
  const header = overview?.rows.find(({ cells }) => cells.some(isHead));
  if (overview === undefined || header === undefined) return new Map();
  const at = header.cells.findIndex(isHead);
  const below = overview.rows.filter(({ number }) => number > header.number);
  return new Map(below.map(({ number, cells }) => [number - header.number, cells.at(at)?.text.trim() ?? '']));
}

/** Gives the capillaries of a set the sample names that the overview lists for their positions. */
export function nameCapillaries(set: MeltSet, sheets: readonly Sheet[]): MeltSet {
  const names = readOverview(sheets);
  const nameTrace = (trace: MeltTrace): MeltTrace => {
    const [, place] = /^Cap\.(\d+)$/.exec(trace.well) ?? [];
    const sample = place === undefined ? '' : (names.get(Number(place)) ?? '');
    return sample === '' ? trace : { ...trace, sample };
  };
  return { ...set, traces: set.traces.map(nameTrace) };
}
