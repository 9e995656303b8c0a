/** Quotes a field when needed and escapes the start of a formula, because people open these files in spreadsheets. */
export function writeCsvField(text: string): string {
  const safe = /^[=+\-@\t\r]./s.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
