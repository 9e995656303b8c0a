/**
 * Identifies processes. The kernel reuses pids, so a process is identified by pid and start time together. No process
 * is signaled before it has been identified.
 */
import { findErrorCode } from '#core/records.ts';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { EmbeddedPostgresError } from './errors.ts';
import { waitUntil } from './wait.ts';

const HAS_PROC = process.platform === 'linux';
/** How long an immediate shutdown may take before the process is killed. */
const IMMEDIATE_LIMIT_MS = 5_000;

/** One process of one machine, recognizable after its pid has been reused. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
  /** The machine, its boot and its pid namespace: pids compare only within one of them. */
  readonly realm: string;
}

/** When a running process was started, in the kernel's own unit; undefined when no such process runs. */
export function readProcessStartTime(pid: number): string | undefined {
  if (!HAS_PROC) return readPs(pid, 'lstart=');
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The second field is the command in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  if (state === 'Z' || state === 'X') return undefined;
  return fields[19];
}

/** Returns the identity of this process. */
export function getOwnIdentity(): ProcessIdentity {
  return {
    pid: process.pid,
    startTime: readProcessStartTime(process.pid) ?? 'unknown',
    realm: getOwnRealm(),
  };
}

function getOwnRealm(): string {
  const boot = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  return [hostname(), boot, readLinkTarget('/proc/self/ns/pid') ?? ''].join('/');
}

/** Whether this process, not a later one with the same pid, still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return readProcessStartTime(identity.pid) === identity.startTime;
}

/** Lists the pids of every server process that works in this cluster directory: the postmaster and its children. */
export function listClusterProcesses(clusterDir: string): number[] {
  if (!HAS_PROC) {
    const pid = readPostmasterPid(clusterDir);
    return pid !== undefined && readPs(pid, 'args=')?.includes(clusterDir) === true ? [pid] : [];
  }
  const directory = realpathSync(clusterDir);
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => readLinkTarget(`/proc/${pid}/cwd`) === directory && isServerBinary(pid))
    .filter((pid) => readProcessStartTime(pid) !== undefined);
}

function isServerBinary(pid: number): boolean {
  const executable = readLinkTarget(`/proc/${pid}/exe`)?.replace(/ \(deleted\)$/, '');
  return executable !== undefined && basename(executable) === 'postgres';
}

/** Reads the pid that PostgreSQL wrote into the cluster directory, whether or not that process still runs. */
function readPostmasterPid(clusterDir: string): number | undefined {
  const pid = Number(readText(join(clusterDir, 'postmaster.pid'))?.split('\n')[0]);
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
}

/** Whether the postmaster with this pid reports that it accepts connections. */
export function isPostmasterReady(clusterDir: string, pid: number): boolean {
  const lines = readText(join(clusterDir, 'postmaster.pid'))?.split('\n') ?? [];
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

/**
 * Ends server processes that an earlier service left in this cluster, first the postmaster by a fast shutdown.
 * Returns their number. The caller holds the lock of the data directory.
 */
export async function killLeftovers(clusterDir: string, fastLimitMs: number): Promise<number> {
  const processes = listClusterProcesses(clusterDir);
  const postmaster = readPostmasterPid(clusterDir);
  if (postmaster !== undefined && processes.includes(postmaster)) {
    signalProcess(clusterDir, postmaster, 'SIGINT');
    await waitUntil(() => !listClusterProcesses(clusterDir).includes(postmaster), fastLimitMs);
  }
  for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const pid of listClusterProcesses(clusterDir)) signalProcess(clusterDir, pid, signal);
    if (await waitUntil(() => listClusterProcesses(clusterDir).length === 0, IMMEDIATE_LIMIT_MS))
      return processes.length;
  }
  throw new EmbeddedPostgresError(
    `A database process from an earlier run still works in ${clusterDir} and does not end; end it by hand, then start again.`,
  );
}

/** Signals a process only if it is a server process of this cluster at this moment. */
function signalProcess(clusterDir: string, pid: number, signal: NodeJS.Signals): void {
  if (!listClusterProcesses(clusterDir).includes(pid)) return;
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (findErrorCode(error) === 'ESRCH') return;
    throw new EmbeddedPostgresError(
      `A database process from an earlier run (${pid}) works in ${clusterDir} and belongs to another user; end it, then start again.`,
      { cause: error },
    );
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function readLinkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function readPs(pid: number, column: string): string | undefined {
  try {
    const text = execFileSync('ps', ['-o', column, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}
