/** The service as its own process, with the embedded database, to be killed like any other. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { MemoryGroup } from './memory-group.ts';
import { copyPreparedCluster } from './prepared-cluster.ts';
import { parseJson, type TestService } from './service.ts';

const RESOLVE = new URL('../../scripts/resolve.mjs', import.meta.url).href;
const OPTIONS = ['--no-maglev-osr', '--import', RESOLVE];
const BUNDLE = new URL('../../bin/bundle.mjs', import.meta.url).href;
const SOURCES = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
/** A recording run notes which sources a process executes. */
const ENTRY = process.env['ASSAYER_REACH_DIRECTORY'] === undefined ? await findEntry() : SOURCES;
/** What Node is told to run the command line as the launcher does, in one process. */
export const COMMAND_LINE: readonly string[] = [...OPTIONS, ENTRY];

export interface ProcessParts {
  /** Holds what it and its children use. */
  readonly group?: MemoryGroup;
  /** Loaded by the process and by each of its threads before the sources, which then run instead of the bundle. */
  readonly first?: URL;
}

function listArguments(first: URL | undefined): readonly string[] {
  if (first === undefined) return COMMAND_LINE;
  return ['--enable-source-maps', ...OPTIONS, '--import', first.href, SOURCES];
}

async function findEntry(): Promise<string> {
  const launcher: { findEntry(): string } = await import(BUNDLE);
  return launcher.findEntry();
}

const READY_TIMEOUT_MS = 120_000;
const ASK_TIMEOUT_MS = 60_000;

export interface ServiceProcess {
  readonly url: string;
  readonly token: string;
  readonly child: ChildProcess;
  /** SIGKILL, and waits until the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM, and waits for the clean end; answers the exit code. */
  stop(): Promise<number | null>;
}

export async function startProcess(
  dataDir: string,
  variables: Readonly<Record<string, string>> = {},
  { group, first }: ProcessParts = {},
): Promise<ServiceProcess> {
  if (variables['DATABASE_URL'] === undefined) copyPreparedCluster(join(dataDir, 'postgres'));
  const start = ['start', '--port', '0', '--data-dir', dataDir, '--ready-json'];
  const command = [process.execPath, ...listArguments(first), ...start] as const;
  const [file, ...args] = group?.wrap(command) ?? command;
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LOG_LEVEL: 'error', ...variables },
  });
  const complaints: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk.toString('utf8')));
  const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const ready = await readFirstLine(child, gone, () => complaints.join(''));
  return {
    url: ready.url,
    token: ready.token,
    child,
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
    async stop() {
      child.kill('SIGTERM');
      return gone;
    },
  };
}

/** Answers that are compressed and opened on one machine only cost time. */
export const UNCOMPRESSED = { 'accept-encoding': 'identity' } as const;

/** The door of a process, to be asked like that of a service in this one; with the token of the process. */
export function createAsker(process: Pick<ServiceProcess, 'url' | 'token'>): TestService['ask'] {
  return async (method, path, { token = process.token, body, payload, headers } = {}) => {
    const content = payload ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await fetch(process.url + (path.startsWith('//') ? path.slice(1) : `/api/v1${path}`), {
      method,
      redirect: 'manual',
      headers: {
        ...UNCOMPRESSED,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(content === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(content === undefined ? {} : { body: new Uint8Array(Buffer.from(content)) }),
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      text,
      body: parseJson(text),
    };
  };
}

async function readFirstLine(
  child: ChildProcess,
  gone: Promise<number | null>,
  complaints: () => string,
): Promise<{ url: string; token: string }> {
  if (child.stdout === null) throw new Error('the process has no standard output');
  const lines = createInterface({ input: child.stdout });
  const line = new Promise<string>((resolve) => lines.once('line', resolve));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not ready in time: ${complaints()}`)), READY_TIMEOUT_MS);
  });
  const ended = gone.then((code): never => {
    throw new Error(`ended with code ${code} before it was ready: ${complaints()}`);
  });
  try {
    const ready: unknown = JSON.parse(await Promise.race([line, ended, late]));
    if (typeof ready !== 'object' || ready === null || !('url' in ready) || !('token' in ready)) {
      throw new Error('the ready line has no url and token');
    }
    return { url: String(ready.url), token: String(ready.token) };
  } finally {
    clearTimeout(timer);
    ended.catch(() => undefined);
  }
}
