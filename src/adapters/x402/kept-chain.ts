/** Opens the chain of a sandbox for reading: the running one, or a copy of its stored state. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createPublicClient, http } from 'viem';
import { startAnvil } from './anvil.ts';
import type { ChainBookOptions } from './book.ts';
import { LOCAL_CHAIN_ID, LOCAL_TOKEN } from './test-token.ts';

const ANSWER_LIMIT_MS = 2_000;

interface OpenChain {
  readonly options: ChainBookOptions;
  stop(): Promise<void>;
}

/** The file beside the stored state that names the address of the chain while a service runs it. */
export function getAddressFile(stateFile: string): string {
  return join(dirname(stateFile), 'rpc-url');
}

/**
 * The stored state of a running chain is some seconds old, so the chain itself is asked where it answers. Undefined
 * where neither exists.
 */
export async function openSandboxChain(stateFile: string): Promise<OpenChain | undefined> {
  const running = await findRunningChain(stateFile);
  if (running !== undefined || !existsSync(stateFile)) return running;
  return openStoredChain(stateFile);
}

/** A killed service leaves the file; another program may have taken the port, and then has another chain id. */
async function findRunningChain(stateFile: string): Promise<OpenChain | undefined> {
  try {
    const rpcUrl = readFileSync(getAddressFile(stateFile), 'utf8').trim();
    const transport = http(rpcUrl, { retryCount: 0, timeout: ANSWER_LIMIT_MS });
    if ((await createPublicClient({ transport }).getChainId()) !== LOCAL_CHAIN_ID) return undefined;
    return { options: createOptions(rpcUrl), stop: async () => undefined };
  } catch {
    return undefined;
  }
}

function createOptions(rpcUrl: string): ChainBookOptions {
  return { network: LOCAL_TOKEN.network, rpcUrl, confirmations: 1 };
}

/** Works on a copy: a chain writes its state when it ends, and the stored one belongs to the service. */
async function openStoredChain(keptFile: string): Promise<OpenChain> {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-chain-'));
  const removeCopy = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    const stateFile = join(directory, 'chain.json');
    copyFileSync(keptFile, stateFile);
    const anvil = await startAnvil({ chainId: LOCAL_CHAIN_ID, stateFile });
    return {
      options: createOptions(anvil.rpcUrl),
      async stop() {
        await anvil.stop();
        removeCopy();
      },
    };
  } catch (error) {
    removeCopy();
    throw error;
  }
}
