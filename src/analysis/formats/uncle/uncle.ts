/**
 * UNCLE workbooks: one sheet per well, with the sample in row 1, `Temp :25, Time:134.9` over every column, and intensities by
 * wavelength. They become the intensities at 330 and 350 nm, their ratio and the barycentric mean wavelength.
 */
import type { MeltSet, MeltTrace } from '../../curves/trace.ts';
import type { MeltFormat } from '../format.ts';
import {
  createGridError,
  readGridNumber,
  parseLocalNumber,
  type GridRow,
  formatFound,
} from '../reading/grid.ts';
import { CurveBuilder, createUnnamedContent } from '../wells/melt-curves.ts';
import type { Sheet } from '../reading/xlsx.ts';

const UNCLE_HEADER = /^Temp\s*:\s*(-?[\d.]+)\s*,\s*Time\s*:/i;
const WAVELENGTHS_NM = [330, 350] as const;
/** The reading at a wavelength is the nearest one, if it lies within this distance. */
const NEAREST_NM = 1;

export const uncle: MeltFormat = {
  id: 'uncle',
  name: 'UNCLE',
  title: 'UNCLE xlsx',
  kind: 'melts',
  grouping: 'file',
  recognizes: ({ sheets }) => sheets?.some(isUncle) ?? false,
  parse: ({ sheets }) => parseUncle(sheets ?? []),
};

function isUncle(sheet: Sheet): boolean {
  return sheet.rows.slice(0, 3).some(({ cells }) => UNCLE_HEADER.test(cells.at(1)?.text ?? ''));
}

function parseUncle(sheets: readonly Sheet[]): MeltSet {
  const notices: string[] = [];
  const traces = sheets.flatMap((sheet) => {
    if (isUncle(sheet)) return readUncleSheet(sheet);
    notices.push(`Sheet ${sheet.sheet} is not read: it has no temperatures.`);
    return [];
  });
  return { format: 'uncle', instrument: 'UNCLE', plate: null, metadata: {}, notices, traces };
}

interface Spectra {
  header: GridRow;
  temperatureC: number[];
  wavelengthNm: number[];
  /** By wavelength, then by temperature. */
  intensity: number[][];
}

function readUncleSheet(sheet: Sheet): MeltTrace[] {
  const [top] = sheet.rows;
  const nameAt = top.cells.findIndex(({ text }) => /^sample name$/i.test(text));
  const sample = nameAt === -1 ? '' : (top.cells.at(nameAt + 1)?.text ?? '');
  const spectra = readSpectra(sheet);
  const content = createUnnamedContent(sheet.sheet, sample === '' ? sheet.sheet : sample);
  const traces: MeltTrace[] = [];
  const add = (channel: string, at: (column: number) => number): void => {
    const builder = new CurveBuilder(sheet);
    for (const [k, temperatureC] of spectra.temperatureC.entries())
      builder.add(spectra.header, k + 1, temperatureC, at(k));
    traces.push({ ...content, channel, ...builder.build() });
  };
  const bands = WAVELENGTHS_NM.map((wavelength) => findNearest(spectra, wavelength));
  for (const [i, band] of bands.entries()) if (band !== null) add(`${WAVELENGTHS_NM[i]}nm`, (k) => band[k]);
  const [at330, at350] = bands;
  if (at330 !== null && at350 !== null && at330.every((value) => value > 0))
    add('ratio', (k) => at350[k] / at330[k]);
  const totals = spectra.temperatureC.map((_, k) => spectra.intensity.reduce((sum, row) => sum + row[k], 0));
  if (totals.every((value) => value > 0)) {
    const computeMoment = (k: number): number =>
      spectra.intensity.reduce((sum, row, i) => sum + row[k] * spectra.wavelengthNm[i], 0);
    add('barycentric_mean', (k) => computeMoment(k) / totals[k]);
  }
  return traces;
}

function readSpectra(sheet: Sheet): Spectra {
  const header = sheet.rows.find(({ cells }) => UNCLE_HEADER.test(cells.at(1)?.text ?? ''));
  if (header === undefined) throw createGridError(sheet, { row: null }, 'a row of temperatures', 'none');
  const temperatureC = header.cells.slice(1).map((cell) => {
    const value = parseLocalNumber(UNCLE_HEADER.exec(cell.text)?.[1] ?? '', '.');
    if (Number.isNaN(value))
      throw createGridError(sheet, { row: header, cell }, 'Temp :<°C>, Time:<s>', formatFound(cell.text));
    return value;
  });
  const found: Spectra = { header, temperatureC, wavelengthNm: [], intensity: [] };
  for (const row of sheet.rows) {
    const isTitle = row.cells.every(({ text }) => Number.isNaN(parseLocalNumber(text, '.')));
    if (row.number <= header.number || isTitle) continue;
    if (row.cells.length !== header.cells.length)
      throw createGridError(sheet, { row }, `${temperatureC.length} intensities`, `${row.cells.length - 1}`);
    found.wavelengthNm.push(readGridNumber(sheet, row, 0, 'a wavelength in nm'));
    found.intensity.push(temperatureC.map((_, k) => readGridNumber(sheet, row, k + 1, 'an intensity')));
  }
  if (found.intensity.length === 0)
    throw createGridError(sheet, { row: header }, 'intensities under the header', 'none');
  return found;
}

function findNearest({ wavelengthNm, intensity }: Spectra, targetNm: number): number[] | null {
  let best = 0;
  for (const [i, value] of wavelengthNm.entries())
    if (Math.abs(value - targetNm) < Math.abs(wavelengthNm[best] - targetNm)) best = i;
  return Math.abs(wavelengthNm[best] - targetNm) <= NEAREST_NM ? intensity[best] : null;
}
