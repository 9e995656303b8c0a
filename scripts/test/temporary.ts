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
  if (environment['TMPDIR'] !== undefined || process.platform !== 'linux') return undefined;
  if (!isUsable(readFileSync(MOUNTS, 'utf8')) || readFreeBytes() < FREE_BYTES_MIN) return undefined;
  return createOwnDirectory(IN_MEMORY);
}

/** Whether a list of mounts, in the form of /proc/mounts, has memory in which files can be written and programs started. */
export function isUsable(mounts: string): boolean {
  const mount = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, place, type]) => place === IN_MEMORY && type === 'tmpfs');
  const options = mount?.[3]?.split(',') ?? [];
  return options.includes('rw') && !options.includes('noexec');
}

/** What the file system and the machine can both give. */
function readFreeBytes(): number {
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
  return Math.min(bavail * bsize, Number(kilobytes ?? 0) * 1_024);
}

/** Makes the directory of this process, and removes those of runs that were killed, so that they do not fill the memory. */
export function createOwnDirectory(parent: string): TemporaryDirectory {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^assayer-tests-(\d+)$/.exec(name) ?? [];
    // A directory of this process's number is that of an earlier process.
    const isAbandoned = pid !== undefined && (Number(pid) === process.pid || !isRunning(Number(pid)));
    if (isAbandoned) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const path = join(parent, `${PREFIX}${process.pid}`);
  mkdirSync(path);
  chmodSync(path, OPEN_TO_ALL);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
