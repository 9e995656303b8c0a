/** A checkout of the repository and its service, as processes of their own. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const READY_WITHIN_MS = 120_000;

export const ROOT: string = join(import.meta.dirname, '..', '..');

/** The sources of a commit in a directory of their own, with packages that fit its lockfile. */
export function checkOut(ref: string, directory: string): () => void {
  execFileSync('git', ['worktree', 'add', '--detach', '--force', directory, ref], {
    cwd: ROOT,
    stdio: 'ignore',
  });
  const lock = (root: string): string => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lock(directory) === lock(ROOT))
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  // Unlike npm ci, this takes a lockfile that lacks the packages of other platforms.
  else
    execFileSync('npm', ['install', '--no-save', '--ignore-scripts'], { cwd: directory, stdio: 'inherit' });
  return () => execFileSync('git', ['worktree', 'remove', '--force', directory], { cwd: ROOT });
}

export interface Running {
  readonly url: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** Both versions listen on the same port, so that the addresses in their answers are the same. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

export async function startService(root: string, dataDir: string, port: number): Promise<Running> {
  const entry = join(root, 'src', 'cli', 'main.ts');
  const args = ['start', '--port', String(port), '--data-dir', dataDir, '--ready-json'];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      ENVIRONMENT: 'sandbox',
      DATABASE_URL: '',
      BASE_URL: '',
      SANDBOX_SPEED: '1000000000',
      RATE_LIMIT_PER_SECOND: '0',
      LOG_LEVEL: 'warn',
    },
  });
  const ready = await readReady(child);
  return {
    ...ready,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

async function readReady(child: ChildProcess): Promise<{ url: string; token: string }> {
  if (child.stdout === null) throw new Error('the service has no standard output');
  const lines = createInterface({ input: child.stdout });
  const limit = AbortSignal.timeout(READY_WITHIN_MS);
  const ended = once(child, 'exit', { signal: limit }).then((): never => {
    throw new Error('the service ended before it was ready');
  });
  ended.catch(() => undefined);
  const [line]: unknown[] = await Promise.race([once(lines, 'line', { signal: limit }), ended]);
  const ready: unknown = JSON.parse(String(line));
  if (typeof ready !== 'object' || ready === null || !('url' in ready) || !('token' in ready))
    throw new Error('the service did not say where it is');
  return { url: String(ready.url), token: String(ready.token) };
}
