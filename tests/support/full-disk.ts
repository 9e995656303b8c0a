/** Disks without room: errors as Node reports them, and a small disk of its own for a test that runs as root. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import * as promises from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { BlobFiles } from '#adapters/blobs/directory.ts';

const CHUNK = Buffer.alloc(64 * 1024);
export const isRoot = process.geteuid?.() === 0;

/** The errors of a full disk and of a quota that is used up. Node knows no name for the second. */
export const FULL_DISK_ERRORS = {
  ENOSPC: { errno: -constants.errno.ENOSPC, code: 'ENOSPC', reason: 'ENOSPC: no space left on device' },
  EDQUOT: {
    errno: -constants.errno.EDQUOT,
    code: `Unknown system error -${constants.errno.EDQUOT}`,
    reason: `Unknown system error -${constants.errno.EDQUOT}`,
  },
} as const;

export type FullDiskError = keyof typeof FULL_DISK_ERRORS;

export function createFullDiskError(name: FullDiskError, syscall = 'write'): Error {
  const { errno, code, reason } = FULL_DISK_ERRORS[name];
  return Object.assign(new Error(`${reason}, ${syscall}`), { errno, code, syscall });
}

/** A file system for raw files on which a step fails while `fault` names an error. */
export function createFillingFiles(): {
  readonly files: BlobFiles;
  fault: { readonly error: FullDiskError; readonly at: 'staging' | 'keeping' } | null;
} {
  const disk: ReturnType<typeof createFillingFiles> = { files: { ...promises, open, rename }, fault: null };
  async function open(...args: Parameters<typeof promises.open>): Promise<promises.FileHandle> {
    const file = await promises.open(...args);
    const { fault } = disk;
    if (fault?.at === 'staging') file.writeFile = () => Promise.reject(createFullDiskError(fault.error));
    return file;
  }
  async function rename(...args: Parameters<typeof promises.rename>): Promise<void> {
    if (disk.fault?.at === 'keeping') throw createFullDiskError(disk.fault.error, 'rename');
    await promises.rename(...args);
  }
  return disk;
}

/** Mounts a disk in memory until the tests of the file have ended; only root can. */
export function createSmallDisk(sizeKib: number): string {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-small-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeKib}k,mode=755`, 'tmpfs', directory]);
  after(() => {
    execFileSync('umount', ['-l', directory]);
    rmSync(directory, { recursive: true, force: true });
  });
  return directory;
}

/** Takes all that is free below the directory. */
export function fillDisk(directory: string): string {
  const path = join(directory, 'filler');
  const filler = openSync(path, 'w');
  try {
    while (statfsSync(directory).bavail > 0) writeSync(filler, CHUNK);
  } catch {
    // The disk is full now, which was wanted.
  } finally {
    closeSync(filler);
  }
  return path;
}
