/** Raw files that stay on disk while they are read: of an archive only the entry in hand comes into memory. */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { rangeOf, sizeOf } from './text.ts';
import type { InputFile } from './text.ts';

/** Where a raw file is kept. Plain data, so that it crosses to a worker. */
export interface StoredFile {
  /** As uploaded. */
  name: string;
  path: string;
  /** What its bytes must have, in hex. */
  sha256: string;
}

export type RawFile = InputFile | StoredFile;

/** The file as parsers read it. Throws what the file system does where it is not there. */
export function opened(file: RawFile): InputFile {
  if (!('path' in file)) return file;
  const { name, path } = file;
  const sizeBytes = withFile(path, (descriptor) => fstatSync(descriptor).size);
  const range = (from: number, to: number): Uint8Array => {
    const bytes = new Uint8Array(Math.max(0, Math.min(to, sizeBytes) - from));
    return withFile(path, (descriptor) => bytes.subarray(0, readSync(descriptor, bytes, { position: from })));
  };
  return {
    name,
    sizeBytes,
    range,
    get bytes() {
      return range(0, sizeBytes);
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

/** What the record of an analysis says of a file. Throws where the bytes are not those that were kept. */
export function fingerprint(file: RawFile): { name: string; bytes: number; sha256: string } {
  const input = opened(file);
  const size = sizeOf(input);
  const hash = createHash('sha256');
  for (let from = 0; from < size; from += PIECE_BYTES) hash.update(rangeOf(input, from, from + PIECE_BYTES));
  const sha256 = hash.digest('hex');
  if ('path' in file && file.sha256 !== sha256)
    throw new Error(`the file kept as ${file.sha256} does not have the bytes it is named by`);
  return { name: file.name, bytes: size, sha256 };
}
