/** The mapping of wells as lines that people edit: `plate, well, sample, role, sequence, replicate`. */
import { parseCsvField, readRows, writeCsvField } from '#core/csv.ts';
import { fail } from '#core/failures.ts';

const COLUMNS = ['plate', 'well', 'sample', 'role', 'sequence', 'replicate'] as const;
export const MAPPING_HEAD = COLUMNS.join(',');

export type MappingLine = Readonly<Record<(typeof COLUMNS)[number], string | number | null>>;

/** Writes the lines with their head. */
export function writeMapping(lines: readonly MappingLine[]): string {
  const rows = lines.map((line) => COLUMNS.map((name) => writeCsvField(String(line[name] ?? ''))).join(','));
  return [MAPPING_HEAD, ...rows].join('\n');
}

/** Adds a line to a text, which may be empty; an empty field stays empty. */
export function appendLine(text: string, line: MappingLine): string {
  const [head = '', row = ''] = writeMapping([line]).split('\n');
  return [text.trim() === '' ? head : text.trimEnd(), row].join('\n');
}

/** Reads the lines; empty fields are left out. Throws `invalid_request` beside the field. */
export function readMapping(text: string): Readonly<Record<string, unknown>>[] {
  const { rows, problems } = readRows(text, ',');
  const [problem] = problems;
  if (problem !== undefined) throw createProblem(`line ${problem.line}: ${problem.message}`);
  const [head, ...lines] = rows;
  if (head === undefined) return [];
  if (head.cells.join(',') !== MAPPING_HEAD) throw createProblem(`the first line must be ${MAPPING_HEAD}`);
  return lines.map(({ line, cells }) => readLine(cells, line));
}

function readLine(fields: readonly string[], line: number): Readonly<Record<string, unknown>> {
  if (fields.length > COLUMNS.length)
    throw createProblem(`line ${line} has more than ${COLUMNS.length} fields`);
  const entries: Record<string, string | number> = {};
  for (const [index, name] of COLUMNS.entries()) {
    const value = parseCsvField(fields[index] ?? '');
    if (value === '') continue;
    if (name === 'replicate' && !/^\d{1,5}$/.test(value))
      throw createProblem(`line ${line}: the replicate must be a whole number`);
    entries[name] = name === 'replicate' ? Number(value) : value;
  }
  return entries;
}

function createProblem(message: string): Error {
  return fail('invalid_request', { reason: `${message}.` }, { problems: [{ path: 'entries', message }] });
}
