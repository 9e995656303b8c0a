/** The launcher as people start it, beside a Node of the machine that is not the bundled one. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readProcessStartTime } from '#adapters/postgres/embedded/processes.ts';
import { isRecord } from '#core/records.ts';
import { parseJson } from './service.ts';

export const ROOT = resolve(import.meta.dirname, '..', '..');
const READY_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 10;

export interface Launched {
  readonly child: ChildProcess;
  /** What it has written so far. */
  readonly getOutput: () => string;
  readonly getErrors: () => string;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

export interface Service extends Launched {
  readonly url: string;
  readonly token: string;
  /** The process that serves: the one that was started, unless npm or a Node that is too old stands between. */
  readonly pid: number;
}

let copy: string | undefined;

/** The Node that npm runs on, which is the machine's; a copy of the bundled one where they are the same. */
export function findMachineNode(): string {
  const path = process.env.npm_node_execpath;
  if (path !== undefined && realpathSync(path) !== realpathSync(process.execPath)) return path;
  if (copy === undefined) {
    const directory = mkdtempSync(join(tmpdir(), 'assayer-node-'));
    // The first test to ask is not the last to use it, so that no hook of a test may remove it.
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
    copy = join(directory, 'node');
    copyFileSync(process.execPath, copy);
  }
  return copy;
}

/** Whether the Node of the machine is too old to run the sources. */
export function isMachineNodeOld(): boolean {
  const print = ['--print', 'process.versions.node.split(".")[0]'];
  return Number(execFileSync(findMachineNode(), print, { encoding: 'utf8' })) < 24;
}

/** Where the bundled Node of this platform stands in a folder. */
export function locateBundledNode(root: string): string {
  const name = `${process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${process.platform}-${process.arch}`;
  return join(root, 'node_modules', name, 'bin', 'node');
}

/** Lays a folder out like this repository: its launcher beside these sources, of which `src/cli/main.ts` is run. */
export function copyLauncher(root: string, sources: Readonly<Record<string, string>> = {}): void {
  for (const path of ['bin', 'scripts/node', 'scripts/resolve.mjs'])
    cpSync(join(ROOT, path), join(root, path), { recursive: true });
  const manifest = JSON.stringify({ type: 'module', imports: { '#core/*': './src/core/*' } });
  for (const [file, text] of Object.entries({ ...sources, 'package.json': manifest })) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

/** Starts a program as people do, from the root of the repository or of a copy of it. */
export function launch(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Launched {
  const child = spawn(program, args, {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, npm_node_execpath: findMachineNode(), npm_lifecycle_script: '', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const ended = once(child, 'exit').then(([code, signal]: unknown[]) =>
    typeof code === 'number' ? code : toSignal(signal),
  );
  return { child, getOutput: () => out, getErrors: () => err, ended };
}

function toSignal(signal: unknown): NodeJS.Signals {
  if (signal === 'SIGKILL' || signal === 'SIGTERM' || signal === 'SIGINT' || signal === 'SIGHUP')
    return signal;
  throw new Error(`ended by ${String(signal)}`);
}

/** Starts the service and waits until it is ready. */
export async function startService(
  program: string,
  args: readonly string[],
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const flags = ['--ready-json', '--port', '0', '--data-dir', dataDir];
  const launched = launch(program, [...args, ...flags], { env: { LOG_LEVEL: 'info', ...env } });
  try {
    await waitUntil(
      () => launched.child.exitCode !== null || /\}\n/.test(launched.getOutput()),
      'the ready line',
      READY_WITHIN_MS,
    );
    const ready = parseJson(
      launched
        .getOutput()
        .split('\n')
        .find((line) => line.startsWith('{')) ?? '',
    );
    if (!isRecord(ready) || typeof ready.url !== 'string' || typeof ready.token !== 'string')
      throw new Error('it is not ready');
    return { ...launched, url: ready.url, token: ready.token, pid: readHolder(dataDir) };
  } catch (error) {
    // The service ends with it.
    launched.child.kill('SIGKILL');
    throw new Error(`the service did not start: ${launched.getOutput()}${launched.getErrors()}`, {
      cause: error,
    });
  }
}

/** The process that holds the data directory. */
function readHolder(dataDir: string): number {
  const lock: unknown = JSON.parse(readFileSync(join(dataDir, 'postgres', 'service.lock'), 'utf8'));
  if (typeof lock === 'object' && lock !== null && 'pid' in lock) return Number(lock.pid);
  throw new Error('the lock of the data directory names no process');
}

/** Whether a process runs. One that has ended, and that nobody has reaped yet, does not. */
export function isAlive(pid: number): boolean {
  return readProcessStartTime(pid) !== undefined;
}

/** Waits for a condition, with a limit. */
export async function waitUntil(
  condition: () => boolean,
  what: string | (() => string),
  limitMs: number,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > deadline)
      throw new Error(`waited too long for ${typeof what === 'string' ? what : what()}`);
    await delay(LOOK_EVERY_MS);
  }
}
