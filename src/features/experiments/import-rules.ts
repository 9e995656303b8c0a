/** Rules for files of sequences: which line each problem is on. */
import type { Problem } from '#core/failures.ts';
import type { ReadSequence, SequenceReading } from '../sequences/csv.ts';
import { readSequences } from '../sequences/read-sequences.ts';
import { checkSequence } from '../sequences/rules.ts';

function formatLine(line: number): string {
  return `line ${line}`;
}

export function listLineProblems({ problems }: SequenceReading): Problem[] {
  return problems.map(({ line, message }) => ({
    path: formatLine(line),
    message: message.replace(/\.$/, ''),
  }));
}

/** Names the place of a problem as the sender of a file knows it: the line, or the parameter. */
export function createPathNamer(records: readonly ReadSequence[]): (path: string) => string {
  const lines = new Map(records.map(({ name, line }) => [name, line]));
  const ROOT = 'experiment_spec.';
  const SEQUENCES = `${ROOT}sequences.`;
  return (path) => {
    if (!path.startsWith(SEQUENCES)) return path.startsWith(ROOT) ? path.slice(ROOT.length) : path;
    const place = path.slice(SEQUENCES.length);
    // A name may hold a dot, and a path may go on after the name.
    const name = lines.has(place) ? place : place.replace(/\.metadata\..*$/, '');
    return formatLine(lines.get(name) ?? 1);
  };
}

/** Returns numbers as they were written; null where one is none. */
export function parseConcentrations(text: string): number[] | null {
  const values = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  return values.every((value) => Number.isFinite(value)) ? values : null;
}

/** Runs when the query is not valid, so that one answer names the problems of the file too. */
export function inspectImport(body: unknown): Problem[] {
  const content = typeof body === 'object' && body !== null && 'content' in body ? body.content : undefined;
  if (typeof content !== 'string') return [];
  const reading = readSequences(content);
  const limits = { residuesPerSequence: Number.MAX_SAFE_INTEGER };
  const found = reading.records.flatMap(({ name, value, line }) =>
    checkSequence(name, value, formatLine(line), limits).problems.map(({ path, message }) => ({
      path: path.replace(/\.metadata\..*$/, ''),
      message,
    })),
  );
  return [...listLineProblems(reading), ...found];
}
