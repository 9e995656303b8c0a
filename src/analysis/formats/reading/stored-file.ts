/** Raw files that stay on disk while they are read; of an archive, only the current entry is in memory. */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { getSize, type InputFile, readRange } from './input-file.ts';

/** The place of a raw file. Plain data, so that it can be sent to a worker. */
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
