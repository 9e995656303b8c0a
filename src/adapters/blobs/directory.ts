/**
 * Raw files as files of a directory, named by their SHA-256.
 * This folder: the directory of raw files and its mark. Not here: which raw file belongs to what
 * (`features/runs/raw-files`).
 */
import { findErrorCode } from '#core/records.ts';
import { createHash, randomBytes } from 'node:crypto';
import * as promises from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Blobs, StagedFile } from '#core/blobs.ts';
import { systemClock } from '#core/clock.ts';
import { FullDisk, isOutOfSpace } from '#core/out-of-space.ts';

/** What writes: a test replaces it by a disk without room. */
export type BlobFiles = Pick<typeof promises, 'mkdir' | 'open' | 'rename'>;

const { open, readdir, rm, stat } = promises;
const DIGEST = /^[0-9a-f]{64}$/;
const OWNER = /^[\w-]{1,64}$/;
export const DIRECTORY_MODE = 0o700;
/** Age after which a file in `incoming` belongs to a dead service; no upload and no analysis takes that long. */
const LEFT_BEHIND_MS = 24 * 60 * 60 * 1000;

type Parts = Parameters<Blobs['stage']>[0];

/** The path of a blob below the directory; the file may be missing. */
export function getBlobPath(root: string, sha256: string): string {
  if (!DIGEST.test(sha256)) throw new Error('not a SHA-256 digest');
  return join(root, sha256.slice(0, 2), sha256);
}

/**
 * Stores blobs as files below one directory. A blob is written in `incoming`, flushed and then renamed, so that a
 * crash leaves no incomplete blob.
 */
export function createDirectoryBlobs(
  root: string,
  {
    leftBehindMs = LEFT_BEHIND_MS,
    files = promises,
    now = () => systemClock.readMonotonicMs(),
  }: {
    readonly leftBehindMs?: number;
    readonly files?: BlobFiles | undefined;
    readonly now?: () => number;
  } = {},
): Blobs {
  const incoming = join(root, 'incoming');
  const disk = new FullDisk(now);
  let sweptAtMs = 0;

  /** The error of a disk without room names the directory: that of a write names no file. */
  async function watchRoom<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      disk.record(error);
      if (!isOutOfSpace(error)) throw error;
      throw new Error(`no room for raw files in ${root}`, { cause: error });
    }
  }

  async function prepareIncoming(): Promise<void> {
    await files.mkdir(incoming, { recursive: true, mode: DIRECTORY_MODE });
    const nowMs = Date.now();
    if (nowMs - sweptAtMs <= leftBehindMs) return;
    sweptAtMs = nowMs;
    await sweep(incoming, nowMs - leftBehindMs);
  }

  async function stage(parts: Parts, owner?: string): Promise<StagedFile> {
    await prepareIncoming();
    const prefix = owner === undefined ? '' : formatStagedPrefix(owner);
    const aside = join(incoming, `${prefix}${randomBytes(12).toString('hex')}`);
    const drop = (): Promise<void> => rm(aside, { force: true });
    try {
      const written = await writeParts(files, aside, parts);
      const path = getBlobPath(root, written.sha256);
      return { path: aside, ...written, drop, keep: () => watchRoom(move(files, aside, path)) };
    } catch (error) {
      await drop();
      throw error;
    }
  }

  return {
    stage: (parts, owner) => watchRoom(stage(parts, owner)),
    dropStaged: (owner) => removeByPrefix(incoming, formatStagedPrefix(owner)),
    async put(bytes) {
      const staged = await watchRoom(stage([bytes]));
      await staged.keep();
      return staged.sha256;
    },
    locate: (sha256) => Promise.resolve(getBlobPath(root, sha256)),
    remove: (sha256) => rm(getBlobPath(root, sha256), { force: true }),
    async openScratch() {
      await prepareIncoming();
      const name = `scratch-${randomBytes(12).toString('hex')}`;
      return { prefix: join(incoming, name), drop: () => removeByPrefix(incoming, name) };
    },
    isDiskFull: () => disk.isFull(),
  };
}

async function writeParts(
  files: BlobFiles,
  path: string,
  parts: Parts,
): Promise<{ sha256: string; sizeBytes: number }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const file = await files.open(path, 'wx', 0o600);
  try {
    for await (const part of parts) {
      hash.update(part);
      sizeBytes += part.length;
      await file.writeFile(part);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: hash.digest('hex'), sizeBytes };
}

/** The blob may exist already; then it is replaced by the same bytes. */
async function move(files: BlobFiles, from: string, to: string): Promise<void> {
  const directory = dirname(to);
  await files.mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
  await files.rename(from, to);
  for (const each of [directory, dirname(directory)]) await flush(each);
}

/** Makes new names in a directory survive a crash. */
export async function flush(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function formatStagedPrefix(owner: string): string {
  if (!OWNER.test(owner)) throw new Error('the owner of a staged file is an id');
  return `of-${owner}-`;
}

async function removeByPrefix(directory: string, prefix: string): Promise<void> {
  for (const name of await listNames(directory))
    if (name.startsWith(prefix)) await rm(join(directory, name), { force: true });
}

/** Lists the files of a directory; none where nothing was written yet. */
async function listNames(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function sweep(directory: string, beforeMs: number): Promise<void> {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const fileStat = await stat(path).catch(() => undefined);
    if (fileStat !== undefined && fileStat.mtimeMs < beforeMs) await rm(path, { force: true });
  }
}
