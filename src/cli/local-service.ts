/** A service that runs for the duration of one command. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ROOT } from '#core/package-root.ts';
import { CommandError } from './command-error.ts';
import type { Connection } from './connection.ts';
import { getTerminal } from './terminal.ts';

export interface LocalService {
  readonly connection: Connection;
  stop(): Promise<void>;
}

const LAUNCHER = fileURLToPath(new URL('bin/assayer.mjs', ROOT));
const READY_WITHIN_MS = 60_000;
const STOPPED_WITHIN_MS = 20_000;
const ERROR_CHARACTERS = 2_000;

/** Starts a sandbox on a free port and waits until it is ready. */
export async function startLocalService(dataDir: string, signal: AbortSignal): Promise<LocalService> {
  const args = [
    LAUNCHER,
    'start',
    '--port',
    '0',
    '--host',
    '127.0.0.1',
    '--data-dir',
    dataDir,
    '--ready-json',
  ];
  const child = spawn(process.execPath, args, {
    // A process group of its own: Ctrl+C reaches only this command, which then stops the service cleanly.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Overrides the shell's settings, so that a temporary service never uses its database.
    env: {
      ...getTerminal().environment,
      ENVIRONMENT: 'sandbox',
      DATABASE_URL: '',
      BASE_URL: '',
      LOG_LEVEL: 'error',
    },
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-ERROR_CHARACTERS);
  });
  const stop = (): Promise<void> => stopChild(child);
  try {
    const line = await readFirstLine(child, signal);
    if (line === undefined)
      throw new CommandError(
        `The service did not start: ${complaint.trim() || 'it ended without a message'}`,
      );
    return { connection: parseConnection(line), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function readFirstLine(child: ChildProcess, signal: AbortSignal): Promise<string | undefined> {
  if (child.stdout === null) return undefined;
  const lines = createInterface({ input: child.stdout });
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(READY_WITHIN_MS)]);
  const ended = new AbortController();
  const either = AbortSignal.any([deadline, ended.signal]);
  child.once('error', () => ended.abort());
  lines.once('close', () => ended.abort());
  try {
    const [line]: unknown[] = await once(lines, 'line', { signal: either });
    return typeof line === 'string' ? line : undefined;
  } catch (error) {
    if (ended.signal.aborted) return undefined;
    if (signal.aborted) throw error;
    throw new CommandError(`The service was not ready within ${READY_WITHIN_MS / 1_000} seconds.`);
  }
}

function parseConnection(line: string): Connection {
  const ready: unknown = JSON.parse(line);
  if (typeof ready === 'object' && ready !== null && 'url' in ready && 'token' in ready) {
    const { url, token } = ready;
    if (typeof url === 'string' && typeof token === 'string') return { url, token };
  }
  throw new CommandError('The service did not report its address.');
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(STOPPED_WITHIN_MS) });
  child.kill('SIGTERM');
  await exited.catch(() => child.kill('SIGKILL'));
}
