/** A control group of Linux that bounds the memory of a process and its children, where this machine lets us make one. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MemoryGroup {
  /** The command with which a process begins inside: Node reads the limit once, when it starts, and sizes its heap by it. */
  wrap(command: readonly string[]): readonly [file: string, ...args: string[]];
  /** The most that was in use at once, in megabytes. */
  readPeakMegabytes(): number;
  /** What is in use now that the kernel cannot take back, in megabytes: without the cache of files. */
  readHeldMegabytes(): number;
  /** How often something of it was killed because the limit was reached. */
  countKills(): number;
  /** Once it is empty. */
  remove(): void;
}

interface Layout {
  readonly root: string;
  readonly limit: string;
  readonly swap: readonly [file: string, value: (bytes: number) => string];
  readonly peak: string;
  readonly kills: string;
  /** In `memory.stat`: of processes, and what they share. */
  readonly held: readonly string[];
}

const ROOT = '/sys/fs/cgroup';
/** Files of a file system in memory, where tests have theirs, count in a group as memory of the service. */
const ON_DISK = '/var/tmp';
const SECOND: Layout = {
  root: ROOT,
  limit: 'memory.max',
  swap: ['memory.swap.max', () => '0'],
  peak: 'memory.peak',
  kills: 'memory.events',
  held: ['anon', 'shmem'],
};
const FIRST: Layout = {
  root: join(ROOT, 'memory'),
  limit: 'memory.limit_in_bytes',
  swap: ['memory.memsw.limit_in_bytes', String],
  peak: 'memory.max_usage_in_bytes',
  kills: 'memory.oom_control',
  held: ['rss', 'shmem'],
};

/** Moves the shell into the group, and becomes the command. */
const JOIN = 'echo $$ >"$0" && exec "$@"';

/** Throws the reason where none can be made: no Linux, no rights, or no controller of memory. */
export function createMemoryGroup(name: string, bytes: number): MemoryGroup {
  const isSecond = existsSync(join(ROOT, 'cgroup.controllers'));
  const layout = isSecond ? SECOND : FIRST;
  const path = join(layout.root, name);
  if (isSecond) writeFileSync(join(ROOT, 'cgroup.subtree_control'), '+memory');
  mkdirSync(path);
  try {
    writeFileSync(join(path, layout.limit), String(bytes));
    const [swap, value] = layout.swap;
    if (existsSync(join(path, swap))) writeFileSync(join(path, swap), value(bytes));
  } catch (error) {
    rmdirSync(path);
    throw error;
  }
  const read = (file: string): string => readFileSync(join(path, file), 'utf8');
  return {
    wrap: (command) => ['/bin/sh', '-c', JOIN, join(path, 'cgroup.procs'), ...command],
    readPeakMegabytes: () => Number(read(layout.peak)) / 1024 / 1024,
    readHeldMegabytes() {
      const stat = read('memory.stat');
      const sum = layout.held.reduce(
        (bytes, name) => bytes + Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1]),
        0,
      );
      return sum / 1024 / 1024;
    },
    countKills: () => Number(/^oom_kill (\d+)$/m.exec(read(layout.kills))?.[1] ?? Number.NaN),
    remove: () => rmdirSync(path),
  };
}

/** A new folder for the data of a service in a group. */
export function makeFolderOnDisk(): string {
  return mkdtempSync(join(ON_DISK, 'assayer-512-'));
}
