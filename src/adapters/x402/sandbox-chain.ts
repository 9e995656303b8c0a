/**
 * Everything for x402 payments on one machine: a local chain with a test dollar, a facilitator, the lab's wallet and
 * a demo wallet with money. One directory stores the chain and the keys.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { parseUnits, type Address, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { findFreePort, startAnvil } from './anvil.ts';
import type { X402Options } from './rail.ts';
import { getAddressFile } from './kept-chain.ts';
import {
  LOCAL_CHAIN_ID,
  LOCAL_TOKEN,
  createLocalClient,
  mintTestToken,
  placeTestToken,
} from './test-token.ts';

const DEMO_DOLLARS = '100000';
const GAS_ETHER = '1000';
const RESTART_AFTER_MS = 500;
const FACILITATOR_READY_MS = 30_000;

export interface SandboxChainOptions {
  /** Directory that persists across restarts. */
  readonly directory: string;
  /** The command that runs `assayer`, such as `[node, main.ts]`. */
  readonly command: readonly [string, ...string[]];
  readonly log: (message: string) => void;
}

export interface SandboxChain {
  /** The x402 settings for the service. */
  readonly options: X402Options;
  readonly demoWallet: { readonly address: Address; readonly keyFile: string };
  readonly labWallet: { readonly address: Address; readonly keyFile: string };
  stop(): Promise<void>;
}

interface Running {
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export async function startSandboxChain({
  directory,
  command,
  log,
}: SandboxChainOptions): Promise<SandboxChain> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const port = await findFreePort();
  const rpcUrl = `http://127.0.0.1:${port}`;
  const stateFile = join(directory, 'chain.json');
  const anvil = await keepRunning('the local chain', log, () =>
    startAnvil({ chainId: LOCAL_CHAIN_ID, port, stateFile, ticks: true }),
  );
  try {
    await placeTestToken(rpcUrl);
    const [gas, lab, demo] = [createWallet('facilitator'), createWallet('lab'), createWallet('demo')];
    const client = createLocalClient(rpcUrl);
    for (const { address } of [gas, lab])
      await client.setBalance({ address, value: parseUnits(GAS_ETHER, 18) });
    if (demo.isNew) await mintTestToken(rpcUrl, demo.address, parseUnits(DEMO_DOLLARS, LOCAL_TOKEN.decimals));
    const facilitatorPort = await findFreePort();
    const facilitator = await keepRunning('the facilitator', log, () =>
      startFacilitatorProcess(command, { rpcUrl, keyFile: gas.keyFile, port: facilitatorPort }),
    );
    const addressFile = getAddressFile(stateFile);
    writeFileSync(addressFile, `${rpcUrl}\n`);
    return {
      options: {
        token: LOCAL_TOKEN,
        payTo: lab.address,
        rpcUrl,
        confirmations: 1,
        facilitatorUrl: `http://127.0.0.1:${facilitatorPort}`,
        facilitatorToken: null,
      },
      demoWallet: demo,
      labWallet: lab,
      async stop() {
        rmSync(addressFile, { force: true });
        await facilitator.stop();
        await anvil.stop();
      },
    };
  } catch (error) {
    await anvil.stop();
    throw error;
  }

  function createWallet(name: string) {
    const keyFile = join(directory, `${name}-wallet.key`);
    const isNew = !existsSync(keyFile);
    if (isNew) writeFileSync(keyFile, `${generatePrivateKey()}\n`, { mode: 0o600 });
    return { address: privateKeyToAccount(readKey(keyFile)).address, keyFile, isNew };
  }
}

/** Reads a private key from a file of 0x and 64 hexadecimal digits. */
export function readKey(file: string): Hex {
  const match = /^(?:0x)?([0-9a-f]{64})$/i.exec(readFileSync(file, 'utf8').trim());
  if (match === null) throw new Error(`${file} does not hold a private key of 64 hexadecimal digits`);
  return `0x${match[1]}`;
}

/** Restarts it whenever it ends by itself. */
async function keepRunning(
  name: string,
  log: (message: string) => void,
  start: () => Promise<Running>,
): Promise<{ stop(): Promise<void> }> {
  let running = await start();
  let isStopped = false;
  const watch = async (): Promise<void> => {
    for (;;) {
      await running.ended;
      if (isStopped) return;
      log(`${name} ended unexpectedly and is being restarted`);
      await wait(RESTART_AFTER_MS);
      if (isStopped) return;
      running = await start().catch((error: unknown): Running => {
        log(`${name} did not start: ${String(error)}`);
        return { ended: wait(RESTART_AFTER_MS), stop: async () => undefined };
      });
      // The stop may have been requested while it started.
      if (isStopped) await running.stop();
    }
  };
  const watched = watch();
  return {
    async stop() {
      isStopped = true;
      await running.stop();
      await watched;
    },
  };
}

/** A separate process, because it holds a key and may crash; it ends when the pipe to it closes. */
async function startFacilitatorProcess(
  [program, ...args]: readonly [string, ...string[]],
  options: { readonly rpcUrl: string; readonly keyFile: string; readonly port: number },
): Promise<Running> {
  const flags = [
    '--network',
    LOCAL_TOKEN.network,
    '--rpc-url',
    options.rpcUrl,
    '--key-file',
    options.keyFile,
  ];
  const child = spawn(program, [...args, 'facilitator', ...flags, '--port', String(options.port), '--tied'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const complaints: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk.toString('utf8')));
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = new Promise<void>((resolve) =>
    createInterface({ input: child.stdout }).once('line', () => resolve()),
  );
  const early = ended.then(() => {
    throw new Error(`the facilitator ended before it was ready: ${complaints.join('').slice(0, 500)}`);
  });
  const timer = new AbortController();
  const late = wait(FACILITATOR_READY_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error('the facilitator was not ready in time');
  });
  const stop = async (): Promise<void> => {
    child.stdin.end();
    child.kill('SIGTERM');
    await ended;
  };
  try {
    await Promise.race([ready, early, late]);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    early.catch(() => undefined);
    late.catch(() => undefined);
    timer.abort();
  }
  return { ended, stop };
}
