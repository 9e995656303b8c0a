import { writeCsvField } from '#core/csv.ts';
import { listCurveColumns, listCurveRecords, type CellValue } from './curve-table.ts';
import type { ResultCurves } from '../store.ts';

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
