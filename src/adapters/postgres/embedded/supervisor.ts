/**
 * Keeps one postmaster running: starts it, restarts it when it dies, and stops it.
 * This folder: the PostgreSQL that the service brings along: its files, its lock, its processes. Not here: anything
 * that a server of one's own needs as well.
 */
import { getErrorMessage } from '#core/records.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  rmSync,
  constants,
  copyFileSync,
  fstatSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from './account.ts';
import { createCannotRunError, type ClusterReach, spawnServerProgram } from './cluster.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { killLeftovers, isPostmasterReady } from './processes.ts';
import { clearStaleSocket } from './socket.ts';

/** A fast shutdown, then an immediate one, then a kill; only of the process that the file of the cluster still names. */
const SCRIPT = `
postmaster=$1
file=$2
read -r word && exit 0
is_running() {
  read -r pid 2>/dev/null <"$file" && [ "$pid" = "$postmaster" ] && kill -0 "$postmaster" 2>/dev/null
}
for signal in INT QUIT KILL; do
  is_running || exit 0
  kill -s "$signal" "$postmaster"
  seconds=0
  while is_running && [ "$seconds" -lt 10 ]; do
    sleep 1
    seconds=$((seconds + 1))
  done
done
`;

interface Watcher {
  /** Once the postmaster has ended. */
  stop(): void;
}

/** Watches until the end of this process or of the watch. */
function watchOver(
  postmaster: number,
  { clusterDir, log }: { readonly clusterDir: string; readonly log: (message: string) => void },
): Watcher {
  const args = [
    '-c',
    SCRIPT,
    'assayer-database-watcher',
    String(postmaster),
    join(clusterDir, 'postmaster.pid'),
  ];
  // A session of its own: what ends the terminal or the process group of the service must not end it.
  const child = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
  child.once('error', (error) => {
    log(`Nothing will stop the database if the service is killed: ${getErrorMessage(error)}`);
  });
  // The watcher may have ended already, and then nobody reads.
  child.stdin.on('error', () => undefined);
  child.unref();
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return { stop: () => child.stdin.end('end\n') };
}

/** The server's own log: the server appends to it even without the service, and the service limits its size. */
const MAX_LOG_BYTES = 2_000_000;

/** Opens the log for appending; every writer appends, so truncating it under a running server is safe. */
function openLog(path: string): number {
  limitLogSize(path);
  return openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
}

/** Moves a log beyond the limit to `<path>.1`, replacing the previous one. */
function limitLogSize(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.size <= MAX_LOG_BYTES) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
}

/** Reads the last lines of the log, for an error message. */
function readLogTail(path: string, maxBytes = 1_500): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const size = fstatSync(file).size;
    const buffer = Buffer.alloc(Math.min(size, maxBytes));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8').trim();
  } finally {
    closeSync(file);
  }
}

const READY_POLL_MS = 5;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;
/** A postmaster that ran this long was healthy, so the next restart is immediate again. */
const HEALTHY_AFTER_MS = 60_000;
const LOG_CHECK_INTERVAL_MS = 60_000;
const IMMEDIATE_LIMIT_MS = 5_000;
const LEFTOVER_FAST_LIMIT_MS = 10_000;

export interface PostmasterExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface SupervisorOptions {
  readonly binary: string;
  readonly args: readonly string[];
  readonly clusterDir: string;
  readonly socketDirectory: string;
  readonly reach: ClusterReach;
  readonly account: Account;
  readonly logFile: string;
  readonly log: (message: string) => void;
  /** Limit of recovery after a crash, after which a start fails. */
  readonly startTimeoutMs: number;
  /** Limit of a fast shutdown, after which it becomes an immediate one. */
  readonly fastStopMs: number;
}

interface Postmaster {
  readonly child: ChildProcess;
  readonly exited: Promise<PostmasterExit>;
  readonly startedAt: number;
  spawnError: Error | undefined;
}

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #listeners = new Set<(exit: PostmasterExit) => void>();
  readonly #stopping = new AbortController();
  #postmaster: Postmaster | undefined;
  #running: Promise<void> = Promise.resolve();
  #logTimer: NodeJS.Timeout | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** The pid of the running postmaster; undefined between a crash and the restart. */
  get pid(): number | undefined {
    return this.#postmaster?.child.pid;
  }

  /** Calls back on every death that `stop` did not cause. */
  onExit(listener: (exit: PostmasterExit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when the server accepts connections; after that it is kept running. */
  async start(): Promise<void> {
    const first = await this.#launch();
    this.#logTimer = setInterval(() => this.#limitLogSize(), LOG_CHECK_INTERVAL_MS).unref();
    this.#running = this.#keepRunning(first);
  }

  /** Stops the server: a fast shutdown first, an immediate one when that takes too long. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#logTimer);
    const postmaster = this.#postmaster;
    if (postmaster !== undefined) await this.#stopPostmaster(postmaster);
    await this.#running;
  }

  async #stopPostmaster(postmaster: Postmaster): Promise<void> {
    const { child, exited } = postmaster;
    child.ref();
    const steps = [
      ['SIGINT', this.#options.fastStopMs],
      ['SIGQUIT', IMMEDIATE_LIMIT_MS],
      ['SIGKILL', IMMEDIATE_LIMIT_MS],
    ] as const;
    for (const [signal, limitMs] of steps) {
      child.kill(signal);
      if (await isSettledWithin(exited, limitMs)) return;
      this.#options.log(`The database did not stop within ${limitMs} ms of ${signal}.`);
    }
  }

  async #keepRunning(first: Postmaster): Promise<void> {
    let current = first;
    let backoffMs = FIRST_BACKOFF_MS;
    for (;;) {
      const exit = await current.exited;
      this.#postmaster = undefined;
      if (this.#isStopping()) return;
      this.#options.log(
        `The database ended unexpectedly (${exit.signal ?? exit.code ?? 'unknown'}) and is restarted.`,
      );
      this.#announce(exit);
      if (performance.now() - current.startedAt > HEALTHY_AFTER_MS) backoffMs = FIRST_BACKOFF_MS;
      const next = await this.#relaunch(backoffMs);
      if (next === undefined) return;
      current = next.postmaster;
      backoffMs = next.backoffMs;
    }
  }

  /** Tries until the server runs again or the supervisor is stopped. */
  async #relaunch(
    firstBackoffMs: number,
  ): Promise<{ postmaster: Postmaster; backoffMs: number } | undefined> {
    let backoffMs = firstBackoffMs;
    while (!this.#isStopping()) {
      try {
        await delay(backoffMs, undefined, { signal: this.#stopping.signal, ref: false });
        backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS);
        const postmaster = await this.#launch();
        this.#options.log('The database accepts connections again.');
        return { postmaster, backoffMs };
      } catch (error) {
        if (!this.#isStopping())
          this.#options.log(`The database could not be restarted: ${getErrorMessage(error)}`);
      }
    }
    return undefined;
  }

  #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #announce(exit: PostmasterExit): void {
    for (const listener of this.#listeners) {
      try {
        listener(exit);
      } catch (error) {
        this.#options.log(`A listener for the end of the database failed: ${getErrorMessage(error)}`);
      }
    }
  }

  /** Removes what an earlier postmaster left, starts a new one and waits until it accepts connections. */
  async #launch(): Promise<Postmaster> {
    const { clusterDir, socketDirectory, log } = this.#options;
    const ended = await killLeftovers(clusterDir, LEFTOVER_FAST_LIMIT_MS);
    if (ended > 0) log(`Ended ${ended} database processes that an earlier run had left.`);
    // No process works in the cluster now, so a remaining pid file names an unrelated process.
    rmSync(join(clusterDir, 'postmaster.pid'), { force: true });
    clearStaleSocket(socketDirectory);
    if (this.#isStopping()) throw new EmbeddedPostgresError('The database is being stopped.');
    const postmaster = this.#spawn();
    this.#postmaster = postmaster;
    try {
      await this.#waitUntilReady(postmaster);
    } catch (error) {
      if (!this.#isStopping()) await this.#stopPostmaster(postmaster);
      this.#postmaster = undefined;
      throw error;
    }
    return postmaster;
  }

  #spawn(): Postmaster {
    const { binary, args, reach, account, clusterDir, logFile, log } = this.#options;
    const output = openLog(logFile);
    try {
      // A session of its own: Ctrl+C in the terminal reaches only the service, which stops the database last.
      const child = spawnServerProgram(binary, args, {
        reach,
        account,
        stdio: ['ignore', output, output],
        detached: true,
      });
      child.unref();
      const exited = new Promise<PostmasterExit>((resolve) => {
        child.once('exit', (code, signal) => resolve({ code, signal }));
        child.once('error', (error) => {
          // This event also occurs when a signal could not be sent; only a failed start has no pid.
          if (child.pid !== undefined) return;
          postmaster.spawnError = error;
          resolve({ code: null, signal: null });
        });
      });
      if (child.pid !== undefined) {
        const watcher = watchOver(child.pid, { clusterDir, log });
        void exited.then(() => watcher.stop());
      }
      const postmaster: Postmaster = { child, exited, startedAt: performance.now(), spawnError: undefined };
      return postmaster;
    } finally {
      closeSync(output);
    }
  }

  async #waitUntilReady(postmaster: Postmaster): Promise<void> {
    const { clusterDir, startTimeoutMs, logFile } = this.#options;
    const { child } = postmaster;
    const deadline = performance.now() + startTimeoutMs;
    while (child.pid === undefined || !isPostmasterReady(clusterDir, child.pid)) {
      await delay(READY_POLL_MS);
      if (postmaster.spawnError !== undefined) throw createCannotRunError(postmaster.spawnError);
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new EmbeddedPostgresError(
          `The database ended while starting. Its log says:\n${readLogTail(logFile)}`,
        );
      }
      if (performance.now() > deadline) {
        throw new EmbeddedPostgresError(
          `The database did not accept connections within ${startTimeoutMs} ms. Its log says:\n${readLogTail(logFile)}`,
        );
      }
    }
  }

  #limitLogSize(): void {
    try {
      limitLogSize(this.#options.logFile);
    } catch (error) {
      this.#options.log(`The size of the database log could not be limited: ${getErrorMessage(error)}`);
    }
  }
}

async function isSettledWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const timer = new AbortController();
  const timeout = delay(limitMs, false, { signal: timer.signal }).catch(() => false);
  const settled = await Promise.race([promise.then(() => true), timeout]);
  timer.abort();
  return settled;
}
