/** The door for instrument files: recognises each by its content and turns an upload into trace sets. */
import { FormatError } from '../failures/errors.ts';
import type { TraceSet } from '../curves/trace.ts';
import { isAssayerTraces, parseAssayerTraces } from './assayer-traces/assayer-traces.ts';
import { isGatorFile, parseGator } from './gator/gator.ts';
import { isMultiCycle, parseMultiCycle } from './multi-cycle-csv/multi-cycle-csv.ts';
import { isOctetFrd, parseOctetFrd } from './octet-frd/octet-frd.ts';
import { isOctetText, parseOctetText } from './octet-text/octet-text.ts';
import { PointBudget } from './reading/point-budget.ts';
import { headOf, LIMITS, rangeOf, sizeOf } from './reading/text.ts';
import type { InputFile } from './reading/text.ts';
import { isXyText, parseXyText } from './xy-text/xy-text.ts';
import { isZip, unzip } from './reading/zip.ts';

export type TraceFormat =
  'assayer-traces' | 'octet-text' | 'octet-frd' | 'xy-text' | 'gator' | 'multi-cycle-csv';

/** The format of one file by its name and first bytes, or null. */
export function sniffTraceFormat(file: InputFile): TraceFormat | null {
  const head = headOf(file);
  if (isAssayerTraces(head)) return 'assayer-traces';
  if (isOctetText(head)) return 'octet-text';
  if (isOctetFrd(head)) return 'octet-frd';
  if (isXyText(head)) return 'xy-text';
  if (isMultiCycle(head)) return 'multi-cycle-csv';
  return isGatorFile(file.name) ? 'gator' : null;
}

/** Whether the file is an upload of its own: an archive, or of a format that keeps a plate in one file. */
export function isSelfContained(file: InputFile): boolean {
  if (isZip(file)) return true;
  const format = sniffTraceFormat(file);
  return format === 'assayer-traces' || format === 'multi-cycle-csv';
}

/**
 * All trace sets of an upload; zip archives are unpacked. Files that belong together (a Gator folder, the sensors of an Octet tray) become one set each;
 * every other file is a set of its own. Throws FormatError for a file that is of no known format, or damaged.
 */
export function parseTraces(uploads: readonly InputFile[]): TraceSet[] {
  assertSizes(uploads);
  const files = uploads.flatMap((file) => (isZip(file) ? unzip(file) : [file]));
  assertSizes(files);
  const byFormat = Map.groupBy(files, formatOf);
  const sets: TraceSet[] = [];
  const budget = new PointBudget();
  for (const [format, parse] of [
    ['assayer-traces', parseAssayerTraces],
    ['multi-cycle-csv', parseMultiCycle],
    ['xy-text', parseXyText],
  ] as const) {
    for (const file of byFormat.get(format) ?? []) {
      const set = parse(file);
      for (const { steps } of set.traces) budget.spend(file.name, steps);
      sets.push(set);
    }
  }
  for (const [format, parse] of [
    ['octet-text', parseOctetText],
    ['octet-frd', parseOctetFrd],
  ] as const) {
    const folders = Map.groupBy(byFormat.get(format) ?? [], ({ name }) => folderOf(name));
    for (const folder of folders.values()) sets.push(parse(folder, budget));
  }
  const gator = byFormat.get('gator') ?? [];
  for (const folder of Map.groupBy(gator, ({ name }) => folderOf(name)).values())
    sets.push(...parseGator(folder, budget));
  return sets;
}

function formatOf(file: InputFile): TraceFormat {
  const format = sniffTraceFormat(file);
  if (format !== null) return format;
  const expected =
    'a trace file (assayer-traces CSV, Octet .frd or text, X–Y text, Gator folder, multi-cycle CSV)';
  throw new FormatError({ file: file.name, line: 1, column: 1, expected, found: unknownContent(file) });
}

/** What a file of no known format is, in words. */
export function unknownContent(file: InputFile): string {
  if (sizeOf(file) === 0) return 'an empty file';
  const [first, second] = rangeOf(file, 0, 2);
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 ? 'UTF-16 (save the file as UTF-8)' : 'an unknown format';
}

function folderOf(name: string): string {
  return name.split(/[\\/]/).slice(0, -1).join('/');
}

/** What an upload unpacks to is limited where it is unpacked, and what it holds where it is read. */
export function assertSizes(files: readonly InputFile[]): void {
  const problem = (file: string, expected: string, found: string): FormatError => {
    return new FormatError({ file, line: null, column: null, expected, found });
  };
  const name = files[0]?.name ?? 'upload';
  if (files.length === 0) throw problem(name, 'at least one file', 'none');
  if (files.length > LIMITS.files) throw problem(name, `at most ${LIMITS.files} files`, `${files.length}`);
  const large = files.find((file) => sizeOf(file) > LIMITS.totalBytes);
  if (large !== undefined)
    throw problem(large.name, `at most ${LIMITS.totalBytes} bytes`, `${sizeOf(large)}`);
}
