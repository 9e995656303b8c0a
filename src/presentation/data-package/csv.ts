import { curveColumns, curveRecords, type CellValue } from './curve-table.ts';
import type { ResultCurves } from '#domain/results/store.ts';

/** Returns the column names for an experiment of this type, with the line end. */
export function curvesCsvHeader(experimentType: string): string {
  return `${curveColumns(experimentType)
    .map(({ name }) => name)
    .join(',')}\r\n`;
}

/** Writes the curves of one result as a tidy table: one point per row, RFC 4180. */
export function curvesCsv(result: ResultCurves): string {
  return curvesCsvHeader(result.experiment_type) + curveRows(result);
}

/** Writes only the rows, each with its line end. */
export function curveRows(result: ResultCurves): string {
  const rows: string[] = [];
  for (const record of curveRecords(result)) rows.push(`${record.map(csvCell).join(',')}\r\n`);
  return rows.join('');
}

function csvCell(value: CellValue): string {
  if (value === null) return '';
  return typeof value === 'string' ? csvField(value) : String(value);
}

/** Quotes a field when needed and escapes the start of a formula, because people open these files in spreadsheets. */
export function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]./s.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
