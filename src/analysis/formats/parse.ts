/** The entry point for instrument files: recognizes each by its content and turns an upload into trace sets. */
import { removeControls } from '#core/one-line.ts';
import { FormatError } from '../failures/errors.ts';
import type { TraceSet } from '../curves/trace.ts';
import type { TraceFormat } from './format.ts';
import { PointBudget, getSize, type InputFile, readHead, readRange, LIMITS } from './reading/input-file.ts';
import { isZip, unzip } from './reading/zip.ts';
import { EXPECTED, TRACE_FORMATS } from './registry.ts';

/** Returns the format of one file by its name and first bytes, or null. */
export function sniffTraceFormat(file: InputFile): TraceFormat | null {
  const start = { name: file.name, head: readHead(file) };
  return TRACE_FORMATS.find((format) => format.recognizes(start)) ?? null;
}

/** Whether the file is a complete upload: an archive, or a format that keeps a plate in one file. */
export function isSelfContained(file: InputFile): boolean {
  return isZip(file) || sniffTraceFormat(file)?.grouping === 'plate';
}

/** Whether the file holds one plate of traces and nothing else, by its first bytes. */
export function isTracePlate(file: InputFile): boolean {
  return !isZip(file) && sniffTraceFormat(file)?.grouping === 'plate';
}

/**
 * Parses all trace sets of an upload; zip archives are unpacked. Files that belong together (a Gator folder, the
 * sensors of an Octet tray) become one set; every other file becomes its own set. Throws FormatError for a damaged
 * file or one of unknown format.
 */
export function parseTraces(uploads: readonly InputFile[]): TraceSet[] {
  assertSizes(uploads);
  const files = uploads.flatMap((file) => (isZip(file) ? unzip(file) : [file]));
  assertSizes(files);
  const byFormat = Map.groupBy(files, recognizeFormat);
  const budget = new PointBudget();
  const sets = TRACE_FORMATS.flatMap((format) => parseFiles(format, byFormat.get(format) ?? [], budget));
  return sets.map(nameOnOneLine);
}

/** Results and documents print what a file calls its instrument and its plate: one line, as every name has. */
export function nameOnOneLine<T extends { instrument: string | null; plate: string | null }>(set: T): T {
  const toLine = (name: string | null): string | null => (name === null ? null : removeControls(name));
  return { ...set, instrument: toLine(set.instrument), plate: toLine(set.plate) };
}

function recognizeFormat(file: InputFile): TraceFormat {
  const format = sniffTraceFormat(file);
  if (format !== null) return format;
  const found = describeUnknownContent(file);
  throw new FormatError({ file: file.name, line: 1, column: 1, expected: EXPECTED.traces, found });
}

function parseFiles(format: TraceFormat, files: readonly InputFile[], budget: PointBudget): TraceSet[] {
  if (format.grouping === 'folder') {
    const folders = Map.groupBy(files, ({ name }) => getFolder(name));
    return [...folders.values()].flatMap((folder) => format.parse(folder, budget));
  }
  return files.map((file) => {
    const set = format.parse(file);
    for (const { steps } of set.traces) budget.spend(file.name, steps);
    return set;
  });
}

/** Whether a file is an archive, which is unpacked only where it is not within another one, or a gzip file. */
export function isPacked(file: InputFile): boolean {
  const [first, second] = readRange(file, 0, 2);
  return isZip(file) || (first === 0x1f && second === 0x8b);
}

/** Describes a file of unknown format in words. */
export function describeUnknownContent(file: InputFile): string {
  if (getSize(file) === 0) return 'an empty file';
  if (isPacked(file)) return 'a packed file (unpack it, and send what is in it, alone or in one zip archive)';
  const [first, second] = readRange(file, 0, 2);
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 ? 'UTF-16 (save the file as UTF-8)' : 'an unknown format';
}

function getFolder(name: string): string {
  return name.split(/[\\/]/).slice(0, -1).join('/');
}

/** Checks the size of the upload; unpacking limits what archives hold, and reading limits the content. */
export function assertSizes(files: readonly InputFile[]): void {
  const createFormatError = (file: string, expected: string, found: string): FormatError => {
    return new FormatError({ file, line: null, column: null, expected, found });
  };
  const name = files[0]?.name ?? 'upload';
  if (files.length === 0) throw createFormatError(name, 'at least one file', 'none');
  if (files.length > LIMITS.files)
    throw createFormatError(name, `at most ${LIMITS.files} files`, `${files.length}`);
  const large = files.find((file) => getSize(file) > LIMITS.totalBytes);
  if (large !== undefined)
    throw createFormatError(large.name, `at most ${LIMITS.totalBytes} bytes`, `${getSize(large)}`);
}
