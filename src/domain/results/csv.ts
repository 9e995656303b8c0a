import type { ResultCurves } from './store.ts';

export const CURVES_CSV_HEADER =
  'experiment_code,sequence_name,replicate,concentration_m,time_s,signal,fit,residual\r\n';

/** The curves of one result as a tidy table: one point per row, RFC 4180. */
export function curvesCsv(result: ResultCurves): string {
  return CURVES_CSV_HEADER + curveRows(result);
}

/** The rows alone, each with its line end. */
export function curveRows(result: ResultCurves): string {
  const rows: string[] = [];
  const head = `${csvField(result.experiment_code)},${csvField(result.sequence_name)}`;
  for (const curve of result.curves) {
    const label = `${head},${curve.replicate},${curve.concentration_m ?? ''}`;
    for (const [index, time] of curve.time_s.entries()) {
      rows.push(
        `${label},${time},${curve.signal[index]},${curve.fit?.[index] ?? ''},${curve.residual?.[index] ?? ''}`,
      );
    }
  }
  return rows.map((row) => `${row}\r\n`).join('');
}

/** Quoted when needed; the start of a formula is defused, since people open these files in spreadsheets. */
export function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]./s.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
