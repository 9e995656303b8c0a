/** What a process and all its descendants have used so far, from `/proc`. */
import { readFileSync, readdirSync } from 'node:fs';

/** The clock of `/proc`: 100 per second on every Linux that Node is built for. */
const TICKS_PER_SECOND = 100;
/** User and system time of a process and of its children that ended, counted from the field after the name. */
const TIME_FIELDS = [11, 12, 13, 14];

export interface Use {
  readonly cpu_s: number;
  /** Resident memory of the largest process of the tree. */
  readonly largestMB: number;
}

/** Zero on a system without `/proc`, and for a process that ends meanwhile. */
export function measureTree(pid: number): Use {
  const pids = [...listTree(pid)];
  return {
    cpu_s: pids.reduce((sum, each) => sum + readCpu(each), 0),
    largestMB: Math.max(...pids.map(readResidentMB)),
  };
}

function* listTree(pid: number): Generator<number> {
  yield pid;
  for (const thread of tryOr([], () => readdirSync(`/proc/${pid}/task`))) {
    const children = tryOr('', () => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'));
    for (const child of children.split(' ')) if (child.trim() !== '') yield* listTree(Number(child));
  }
}

function readCpu(pid: number): number {
  const stat = tryOr('', () => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return TIME_FIELDS.reduce((sum, index) => sum + Number(fields[index] ?? 0), 0) / TICKS_PER_SECOND;
}

function readResidentMB(pid: number): number {
  const status = tryOr('', () => readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1_024;
}

function tryOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
