/**
 * Melting curves in workbooks.
 *
 * Prometheus: `Overview` with a column `Sample ID`, and one sheet per signal (`Ratio`, `330nm`, `350nm`, `Scattering`) in which a
 * row that starts with `Time [s]` heads a column of temperatures and one column per capillary. Sheets of derivatives and of
 * refolding are not read. A workbook with the columns of the text export (`Data Export`, `melting-scan`) is read like that.
 *
 * UNCLE: one sheet per well, with the sample in row 1, `Temp :25, Time:134.9` over every column, and intensities by wavelength.
 * They become the intensities at 330 and 350 nm, their ratio and the barycentric mean wavelength.
 */
import type { MeltSet, MeltTrace } from '../trace.ts';
import { gridError, gridNumber, localNumber } from './grid.ts';
import type { GridRow } from './grid.ts';
import {
  assertCelsius,
  CurveBuilder,
  channelName,
  isColumns,
  parseMeltColumns,
  unnamedContent,
} from './melt-columns.ts';
import { quoted } from './text.ts';
import type { Sheet } from './xlsx.ts';

const TIME_HEADER = /^time\s*\[s\]$/i;
const UNCLE_HEADER = /^Temp\s*:\s*(-?[\d.]+)\s*,\s*Time\s*:/i;
const WAVELENGTHS_NM = [330, 350] as const;
/** The reading at a wavelength is the nearest one, if it is this near. */
const NEAREST_NM = 1;

/** Null where no sheet is of a known kind. */
export function parseMeltSheets(all: readonly Sheet[]): MeltSet | null {
  const sheets = all.filter(({ rows }) => rows.length > 0);
  if (sheets.some(isUncle)) return parseUncle(sheets);
  const heads = sheets.filter((sheet) => headOf(sheet) !== null);
  if (heads.length > 0) return parsePrometheus(sheets, heads);
  const columns = sheets.find(({ rows }) => isColumns(rows[0].cells[0].text));
  return columns === undefined ? null : parseMeltColumns(columns);
}

function headOf(sheet: Sheet): GridRow | null {
  return sheet.rows.slice(0, 50).find(({ cells }) => TIME_HEADER.test(cells[0].text)) ?? null;
}

function parsePrometheus(sheets: readonly Sheet[], heads: readonly Sheet[]): MeltSet {
  const overview = sheets.find(({ sheet }) => sheet.trim() === 'Overview');
  const names = overview === undefined ? [] : sampleNames(overview);
  const notices: string[] = [];
  const traces: MeltTrace[] = [];
  for (const sheet of heads) {
    const channel = channelName(sheet.sheet);
    if (channel === null || /\b(re)?folding/i.test(sheet.sheet)) {
      notices.push(`Sheet ${sheet.sheet} is not read.`);
      continue;
    }
    traces.push(...signalSheet(sheet, channel, names));
  }
  return { format: 'prometheus-xlsx', instrument: 'Prometheus', plate: null, metadata: {}, notices, traces };
}

/** The column under `Sample ID`, one row per capillary. */
function sampleNames(overview: Sheet): string[] {
  const header = overview.rows.find(({ cells }) => cells.some(({ text }) => text === 'Sample ID'));
  const at = header?.cells.findIndex(({ text }) => text === 'Sample ID') ?? -1;
  if (header === undefined) return [];
  return overview.rows
    .filter(({ number }) => number > header.number)
    .map(({ cells }) => cells.at(at)?.text ?? '');
}

function signalSheet(sheet: Sheet, channel: string, names: readonly string[]): MeltTrace[] {
  const header = headOf(sheet);
  if (header === null) return [];
  const rows = sheet.rows.filter(({ number }) => number > header.number);
  const titles = header.cells.map(({ text }) => text.toLowerCase());
  // Refolding repeats time and temperature further right; each signal goes with the temperature before it.
  const traces: MeltTrace[] = [];
  let temperatureAt = -1;
  for (const [index, title] of titles.entries()) {
    if (title.includes('temperature')) {
      assertCelsius(sheet, header, header.cells[index]);
      temperatureAt = index;
    }
    if (title.includes('temperature') || title.startsWith('time') || temperatureAt === -1) continue;
    const builder = new CurveBuilder(sheet);
    for (const row of rows) {
      // A capillary may have been read fewer times than the others; a gap before its last reading is a fault.
      if (
        (row.cells.at(index)?.text ?? '') === '' &&
        rows.every((each) => each.number < row.number || (each.cells.at(index)?.text ?? '') === '')
      )
        break;
      const temperatureC = gridNumber(sheet, row, temperatureAt, 'a temperature in °C');
      builder.add(row, temperatureAt, temperatureC, gridNumber(sheet, row, index, 'a signal'));
    }
    const well = `Cap.${traces.length + 1}`;
    const sample = names.at(traces.length) ?? '';
    traces.push({ ...unnamedContent(well, sample === '' ? well : sample), channel, ...builder.build() });
  }
  if (traces.length === 0) throw gridError(sheet, { row: header }, 'columns of capillaries', 'none');
  return traces;
}

function isUncle(sheet: Sheet): boolean {
  return sheet.rows.slice(0, 3).some(({ cells }) => UNCLE_HEADER.test(cells.at(1)?.text ?? ''));
}

function parseUncle(sheets: readonly Sheet[]): MeltSet {
  const notices: string[] = [];
  const traces = sheets.flatMap((sheet) => {
    if (isUncle(sheet)) return uncleSheet(sheet);
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

function uncleSheet(sheet: Sheet): MeltTrace[] {
  const [top] = sheet.rows;
  const nameAt = top.cells.findIndex(({ text }) => /^sample name$/i.test(text));
  const sample = nameAt === -1 ? '' : (top.cells.at(nameAt + 1)?.text ?? '');
  const spectra = readSpectra(sheet);
  const content = unnamedContent(sheet.sheet, sample === '' ? sheet.sheet : sample);
  const traces: MeltTrace[] = [];
  const add = (channel: string, at: (column: number) => number): void => {
    const builder = new CurveBuilder(sheet);
    for (const [k, temperatureC] of spectra.temperatureC.entries())
      builder.add(spectra.header, k + 1, temperatureC, at(k));
    traces.push({ ...content, channel, ...builder.build() });
  };
  const bands = WAVELENGTHS_NM.map((wavelength) => nearest(spectra, wavelength));
  for (const [i, band] of bands.entries()) if (band !== null) add(`${WAVELENGTHS_NM[i]}nm`, (k) => band[k]);
  const [at330, at350] = bands;
  if (at330 !== null && at350 !== null && at330.every((value) => value > 0))
    add('ratio', (k) => at350[k] / at330[k]);
  const totals = spectra.temperatureC.map((_, k) => spectra.intensity.reduce((sum, row) => sum + row[k], 0));
  if (totals.every((value) => value > 0)) {
    const moment = (k: number): number =>
      spectra.intensity.reduce((sum, row, i) => sum + row[k] * spectra.wavelengthNm[i], 0);
    add('barycentric_mean', (k) => moment(k) / totals[k]);
  }
  return traces;
}

function readSpectra(sheet: Sheet): Spectra {
  const header = sheet.rows.find(({ cells }) => UNCLE_HEADER.test(cells.at(1)?.text ?? ''));
  if (header === undefined) throw gridError(sheet, { row: null }, 'a row of temperatures', 'none');
  const temperatureC = header.cells.slice(1).map((cell) => {
    const value = localNumber(UNCLE_HEADER.exec(cell.text)?.[1] ?? '', '.');
    if (Number.isNaN(value))
      throw gridError(sheet, { row: header, cell }, 'Temp :<°C>, Time:<s>', quoted(cell.text));
    return value;
  });
  const found: Spectra = { header, temperatureC, wavelengthNm: [], intensity: [] };
  for (const row of sheet.rows) {
    if (row.number <= header.number || Number.isNaN(localNumber(row.cells[0].text, '.'))) continue;
    if (row.cells.length !== header.cells.length)
      throw gridError(sheet, { row }, `${temperatureC.length} intensities`, `${row.cells.length - 1}`);
    found.wavelengthNm.push(gridNumber(sheet, row, 0, 'a wavelength in nm'));
    found.intensity.push(temperatureC.map((_, k) => gridNumber(sheet, row, k + 1, 'an intensity')));
  }
  if (found.intensity.length === 0)
    throw gridError(sheet, { row: header }, 'intensities under the header', 'none');
  return found;
}

function nearest({ wavelengthNm, intensity }: Spectra, wanted: number): number[] | null {
  let best = 0;
  for (const [i, value] of wavelengthNm.entries())
    if (Math.abs(value - wanted) < Math.abs(wavelengthNm[best] - wanted)) best = i;
  return Math.abs(wavelengthNm[best] - wanted) <= NEAREST_NM ? intensity[best] : null;
}
