/**
 * Where tests keep their files. A file system in memory makes the files of a database in a tenth of the processor time of
 * one on a disk, and each test file has a database.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
const MOUNTS = '/proc/mounts';
const PREFIX = 'assayer-tests-';
/** Several times what a run was seen to need at once; with less, files stay on the disk. */
const FREE_BYTES_MIN = 6 * 2 ** 30;
/** As for /tmp: everyone may enter, since PostgreSQL may run as another user. */
const OPEN_TO_ALL = 0o1777;

export interface TemporaryDirectory {
  readonly path: string;
  remove(): void;
}

/** Makes a directory in memory, or nothing where the system has no room for it or the caller has chosen a directory. */
export function createInMemory(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): TemporaryDirectory | undefined {
  if (environment['TMPDIR'] !== undefined || !hasRoomInMemory()) return undefined;
  removeAbandoned();
  const path = join(IN_MEMORY, `${PREFIX}${process.pid}`);
  mkdirSync(path);
  chmodSync(path, OPEN_TO_ALL);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Programs must be able to start from it too. */
function hasRoomInMemory(): boolean {
  if (process.platform !== 'linux') return false;
  const mount = readFileSync(MOUNTS, 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, place, type]) => place === IN_MEMORY && type === 'tmpfs');
  const options = mount?.[3]?.split(',') ?? [];
  if (!options.includes('rw') || options.includes('noexec')) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize >= FREE_BYTES_MIN && readAvailableBytes() >= FREE_BYTES_MIN;
}

function readAvailableBytes(): number {
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
  return Number(kilobytes ?? 0) * 1_024;
}

/** Removes what runs that were killed have left, so that it does not fill the memory. */
function removeAbandoned(): void {
  for (const name of readdirSync(IN_MEMORY)) {
    const [, pid] = /^assayer-tests-(\d+)$/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(IN_MEMORY, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
