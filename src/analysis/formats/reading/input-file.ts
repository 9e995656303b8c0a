/**
 * The files of an upload: where their bytes are, what readers accept of them, and which of their plates belong to one
 * run.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { FormatError } from '../../failures/errors.ts';

/** A raw file as the readers get it: its name, its bytes and its size. */
export interface InputFile {
  /** Name or path as uploaded; a format may use its extension and folder. */
  name: string;
  /**
   * The whole content. A file on disk or in an archive is read again at each access, so access it once, and only if
   * the file is needed as a whole.
   */
  bytes: Uint8Array;
  /** The size, and a reader of a part, of a file that is better not read whole. */
  sizeBytes?: number;
  readRange?: (from: number, to: number) => Uint8Array;
}

const HEAD_BYTES = 2_048;

export function getSize(file: InputFile): number {
  return file.sizeBytes ?? file.bytes.length;
}

/** Returns the bytes in [`from`, `to`), or up to the end of a shorter file. */
export function readRange(file: InputFile, from: number, to: number): Uint8Array {
  return file.readRange?.(from, to) ?? file.bytes.subarray(from, to);
}

/** Returns the first characters, which suffice to recognize the format. */
export function readHead(file: InputFile): string {
  return new TextDecoder('utf-8').decode(readRange(file, 0, HEAD_BYTES));
}

/**
 * The place of a raw file, which stays on disk while it is read; of an archive, only the current entry is in memory. Plain
 * data, so that it can be sent to a worker.
 */
export interface StoredFile {
  /** Name as uploaded. */
  name: string;
  path: string;
  /** The expected SHA-256 of its bytes, in hex. */
  sha256: string;
  /** Of a run that repeats replicates of an earlier one: its number. */
  run?: number | undefined;
}

export type RawFile = InputFile | StoredFile;

/** Opens the file for the parsers. Throws the error of the file system if it does not exist. */
export function openFile(file: RawFile): InputFile {
  if (!('path' in file)) return file;
  const { name, path } = file;
  const sizeBytes = withFile(path, (descriptor) => fstatSync(descriptor).size);
  const readRange = (from: number, to: number): Uint8Array => {
    const bytes = new Uint8Array(Math.max(0, Math.min(to, sizeBytes) - from));
    return withFile(path, (descriptor) => bytes.subarray(0, readSync(descriptor, bytes, { position: from })));
  };
  return {
    name,
    sizeBytes,
    readRange: readRange,
    get bytes() {
      return readRange(0, sizeBytes);
    },
  };
}

function withFile<T>(path: string, use: (descriptor: number) => T): T {
  const descriptor = openSync(path, 'r');
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const PIECE_BYTES = 1024 * 1024;

/** Returns what the record of an analysis states about a file. Throws if its bytes differ from the stored ones. */
export function fingerprint(file: RawFile): { name: string; bytes: number; sha256: string } {
  const input = openFile(file);
  const size = getSize(input);
  const hash = createHash('sha256');
  for (let from = 0; from < size; from += PIECE_BYTES)
    hash.update(readRange(input, from, from + PIECE_BYTES));
  const sha256 = hash.digest('hex');
  if ('path' in file && file.sha256 !== sha256)
    throw new Error(`the content of the stored file ${file.sha256} does not match its checksum`);
  return { name: file.name, bytes: size, sha256 };
}

/** What the readers accept of one upload. `memory.test.ts` measures that one process stays below 256 MB at each limit. */
export const LIMITS = {
  files: 2_000,
  /** Size of one unpacked file, which is read whole. */
  fileBytes: 24 * 1024 * 1024,
  /** Size of all files together, packed and unpacked; they are read one after another. */
  totalBytes: 160 * 1024 * 1024,
  traces: 20_000,
  /** Steps of all traces. */
  steps: 50_000,
  /** Values of plate readers. */
  readings: 100_000,
  /** Points of all curves of an upload, 16 bytes each. */
  points: 3_000_000,
  /** Length of one line. */
  lineCharacters: 1_000_000,
  /** Lines before the data. */
  headLines: 1_000,
  fieldsPerRecord: 64,
} as const;

/** Counts how many more points the curves of an upload may have, across all its files. */
export class PointBudget {
  private spent = 0;

  /** Subtracts the points of one curve; throws FormatError beyond the limit. */
  spend(file: string, steps: readonly { readonly timeS: { readonly length: number } }[]): void {
    for (const { timeS } of steps) this.spent += timeS.length;
    if (this.spent <= LIMITS.points) return;
    const expected = `at most ${LIMITS.points} points in all curves of an upload`;
    throw new FormatError({ file, line: null, column: null, expected, found: 'more' });
  }
}

/** Returns the run of a file that repeats an earlier run; undefined for a file of the first. */
export function findRepeatingRun(file: RawFile | undefined): number | undefined {
  return file !== undefined && 'path' in file ? file.run : undefined;
}

/** Splits files by their run, each in the given order, because files of two runs do not belong together. */
export function splitByRun(files: readonly RawFile[]): RawFile[][] {
  return [...Map.groupBy(files, findRepeatingRun).values()];
}

/** Renames the plates of a repeating run, because a lab may use a name again: `P1` becomes `P1 (run 2)`. */
export function namePlatesByRun<Set extends { plate: string | null }>(
  sets: readonly Set[],
  run: number | undefined,
): Set[] {
  if (run === undefined) return [...sets];
  return sets.map((set) => (set.plate === null ? set : { ...set, plate: `${set.plate} (run ${run})` }));
}
