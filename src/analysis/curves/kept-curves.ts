/**
 * Where packed curves are until a result is stored: in memory, or in a file aside, so that the memory of an analysis does
 * not grow with the points that were measured.
 */
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** The place of packed curves in a file. Plain data, so that it can be sent between threads. */
export interface CurvesAside {
  readonly path: string;
  readonly from: number;
  readonly length: number;
}

/** A gzip member, or its place. */
export type KeptCurves = Uint8Array | CurvesAside;

/** Keeps a gzip member for later. */
export type KeepCurves = (packed: Uint8Array) => KeptCurves;

export const keepInMemory: KeepCurves = (packed) => packed;

/** Does work that keeps its curves at the end of the file, which nobody else writes meanwhile. */
export function keepInFile<Result>(path: string, work: (keep: KeepCurves) => Result): Result {
  const descriptor = openSync(path, 'a', 0o600);
  try {
    let end = fstatSync(descriptor).size;
    return work((packed) => {
      const from = end;
      for (let done = 0; done < packed.length;) done += writeSync(descriptor, packed, done);
      end += packed.length;
      return { path, from, length: packed.length };
    });
  } finally {
    closeSync(descriptor);
  }
}

export async function readCurves(kept: KeptCurves): Promise<Uint8Array> {
  if (kept instanceof Uint8Array) return kept;
  const { path, from, length } = kept;
  const file = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, from);
    if (bytesRead < length) throw new Error('the curves that an analysis kept aside are cut short');
    return buffer;
  } finally {
    await file.close();
  }
}
