/** Raw files that stay on disk while they are read: of an archive only the entry in hand comes into memory. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { InputFile } from './formats/text.ts';

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
