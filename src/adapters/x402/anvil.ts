/** A local EVM chain as a child process. It ends with the process that started it, even when that is killed. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { createPublicClient, http } from 'viem';
import localChain from './local-chain/package.json' with { type: 'json' };

const READY_TIMEOUT_MS = 15_000;
const READY_POLL_MS = 20;
const BLOCK_EVERY_S = 10;
const SAVE_EVERY_S = 5;

/** Ends the chain when the pipe to this process closes; the chain then saves its state. */
const TIED_TO_US =
  'exec 3<&0; "$@" </dev/null 3<&- & chain=$!; (cat <&3 >/dev/null; kill $chain) & wait $chain';

export interface AnvilOptions {
  readonly chainId: number;
  /** A free port is chosen when absent. */
  readonly port?: number;
  /** File that stores the chain across restarts; without it the chain is lost. */
  readonly stateFile?: string;
  /** Makes blocks at intervals without transactions, as public chains do. */
  readonly ticks?: boolean;
}

export interface Anvil {
  readonly rpcUrl: string;
  /** Resolves when the chain has ended for any reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const port = options.port ?? (await findFreePort());
  const args = [
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--chain-id',
    String(options.chainId),
    '--quiet',
  ];
  if (options.stateFile !== undefined)
    args.push('--state', options.stateFile, '--state-interval', String(SAVE_EVERY_S));
  if (options.ticks === true) args.push('--mixed-mining', '--block-time', String(BLOCK_EVERY_S));
  const child = spawn('/bin/sh', ['-c', TIED_TO_US, 'sh', requireAnvilBinary(), ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const complaints: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk.toString('utf8')));
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const anvil: Anvil = {
    rpcUrl: `http://127.0.0.1:${port}`,
    ended,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
  void ended.then(() => child.stdin.destroy());
  const early = ended.then(() => {
    throw new Error(`the local chain ended before it was ready: ${complaints.join('').slice(0, 500)}`);
  });
  try {
    await Promise.race([waitUntilReady(anvil.rpcUrl), early]);
  } catch (error) {
    await anvil.stop();
    throw error;
  } finally {
    early.catch(() => undefined);
  }
  return anvil;
}

async function waitUntilReady(rpcUrl: string): Promise<void> {
  const client = createPublicClient({ transport: http(rpcUrl, { retryCount: 0, timeout: 1_000 }) });
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const id = await client.getChainId().catch(() => undefined);
    if (id !== undefined) return;
    if (performance.now() > deadline) throw new Error('the local chain does not answer');
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
  }
}

/** The chain cannot run here; the message is one sentence for the caller. */
class LocalChainError extends Error {
  override readonly name = 'LocalChainError';
}

function requireAnvilBinary(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${arch}`;
  const binary = findInstalled(`${name}/bin/anvil`);
  if (binary !== undefined) return binary;
  const hasTestPackages = findInstalled(`${LOCAL_PACKAGE}/package.json`) !== undefined;
  throw new LocalChainError(describeMissingChain(name, hasTestPackages));
}

const LOCAL_PACKAGE = 'assayer-local-chain';

/**
 * Says what to install. npm removes what its command does not ask for, so an installation without the tests' packages
 * stays without them, and one with them keeps them.
 */
export function describeMissingChain(name: string, hasTestPackages: boolean): string {
  const [version = ''] = Object.values(localChain.optionalDependencies);
  const command = `npm install --no-save ${hasTestPackages ? '' : '--omit=dev '}${name}@${version}`;
  return `The local chain needs the package ${name}, which is not installed; run "${command}" and start again, or start without the chain.`;
}

function findInstalled(file: string): string | undefined {
  try {
    const path = createRequire(import.meta.url).resolve(file);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = address === null || typeof address === 'string' ? 0 : address.port;
      server.close(() => resolve(port));
    });
  });
}
