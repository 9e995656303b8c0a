import type { ResultCurves } from './store.ts';

/** The curves of one result as a tidy table: one point per row, RFC 4180. */
export function curvesCsv(result: ResultCurves): string {
  const rows = ['experiment_code,sequence_name,replicate,concentration_m,time_s,signal,fit,residual'];
  const head = `${csvField(result.experiment_code)},${csvField(result.sequence_name)}`;
  for (const curve of result.curves) {
    const label = `${head},${curve.replicate},${curve.concentration_m ?? ''}`;
    for (const [index, time] of curve.time_s.entries()) {
      rows.push(
        `${label},${time},${curve.signal[index]},${curve.fit?.[index] ?? ''},${curve.residual?.[index] ?? ''}`,
      );
    }
  }
  return `${rows.join('\r\n')}\r\n`;
}

/** Quoted when needed; a leading formula character is defused, since people open these files in spreadsheets. */
export function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
