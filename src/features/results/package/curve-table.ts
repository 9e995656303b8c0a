/**
 * The curves of one result as a tidy table, one point per row, in the columns of its assay; CSV and Parquet are
 * written from it. The columns depend only on the assay, so that the tables of an experiment can be concatenated.
 */
import { requireShownAssay } from '#assays/shown.ts';
import type { CurveColumn } from './curve-columns.ts';
import type { Curve, Sensorgram } from '../curves.ts';
import type { ResultCurves } from '../store.ts';
import { writeCsvField } from '#core/csv.ts';

export type CellValue = string | number | boolean | null;

const IDENTITY: readonly CurveColumn[] = [
  { name: 'experiment_code', type: 'STRING' },
  { name: 'sequence_name', type: 'STRING' },
];
/** Returns the columns of an experiment of this type, the identity of the result first. */
export function listCurveColumns(experimentType: string): readonly CurveColumn[] {
  return [...IDENTITY, ...requireShownAssay(experimentType).curveColumns];
}

/** Yields every point, its cells in the order of the columns; a missing value is null. */
export function* listCurveRecords(result: ResultCurves): Generator<readonly CellValue[]> {
  const columns = listCurveColumns(result.experiment_type).slice(IDENTITY.length);
  const identity = [result.experiment_code, result.sequence_name];
  for (const curve of result.curves) {
    for (const { length, cells } of listPieces(curve)) {
      const sources = columns.map(({ name }) => cells[name] ?? null);
      for (let index = 0; index < length; index += 1)
        yield [
          ...identity,
          ...sources.map((source) => (isSeries(source) ? (source[index] ?? null) : source)),
        ];
    }
  }
}

type Series = readonly CellValue[];
interface Piece {
  readonly length: number;
  readonly cells: Readonly<Record<string, CellValue | Series | undefined>>;
}

function isSeries(source: CellValue | Series): source is Series {
  return Array.isArray(source);
}

function listPieces(curve: Curve): Piece[] {
  switch (curve.kind) {
    case 'melt': {
      const melted = { length: curve.temperature_c.length, cells: { ...curve, tm_c: null } };
      const { scattering, scattering_temperature_c: temperature } = curve;
      if (!Array.isArray(scattering) || !Array.isArray(temperature)) return [melted];
      const { replicate: of, plate, well } = curve;
      const cells = {
        replicate: of,
        plate,
        well,
        channel: 'scattering',
        temperature_c: temperature,
        signal: scattering,
      };
      return [melted, { length: scattering.length, cells }];
    }
    case 'standard_curve': {
      const { plate, concentration_ng_per_ul: level, response, recovery_pct: recovery, excluded } = curve;
      const standard = { kind: 'standard', plate, concentration_ng_per_ul: level };
      const line = {
        kind: 'standard_fit',
        plate,
        concentration_ng_per_ul: curve.fit_concentration_ng_per_ul,
        fit: curve.fit_response,
      };
      return [
        { length: level.length, cells: { ...standard, signal: response, recovery_pct: recovery, excluded } },
        { length: curve.fit_response.length, cells: line },
      ];
    }
    case 'plate':
      return [{ length: curve.well.length, cells: { ...curve } }];
    case 'sensorgram': {
      const { injections: _injections, ...cells } = curve;
      const analyte = curve.time_s.map((timeS) => findAnalyte(curve, timeS));
      return [{ length: analyte.length, cells: { ...cells, analyte_concentration_m: analyte } }];
    }
    default:
      return [{ length: curve.time_s.length, cells: { ...curve } }];
  }
}

/** Returns the concentration of the analyte around the sensor at this time, in M; 0 in buffer. */
function findAnalyte(curve: Sensorgram, timeS: number): number | null {
  const { association_start_s: start, dissociation_start_s: end, concentration_m: concentration } = curve;
  const injections = curve.injections ?? [{ start_s: start, end_s: end, concentration_m: concentration }];
  const current = injections.find(({ start_s: from, end_s: to }) => timeS >= from && timeS < to);
  return current === undefined ? 0 : current.concentration_m;
}

/** Returns the column names for an experiment of this type, with the line end. */
export function writeCurvesCsvHeader(experimentType: string): string {
  return `${listCurveColumns(experimentType)
    .map(({ name }) => name)
    .join(',')}\r\n`;
}

/** Writes the curves of one result as a tidy table: one point per row, RFC 4180. */
export function writeCurvesCsv(result: ResultCurves): string {
  return writeCurvesCsvHeader(result.experiment_type) + writeCurveRows(result);
}

/** Writes only the rows, each with its line end. */
export function writeCurveRows(result: ResultCurves): string {
  const rows: string[] = [];
  for (const record of listCurveRecords(result)) rows.push(`${record.map(writeCsvCell).join(',')}\r\n`);
  return rows.join('');
}

function writeCsvCell(value: CellValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? writeCsvField(value) : String(value);
}
