/** Opens the stored chain of a sandbox whose service does not run, for reading. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAnvil } from './anvil.ts';
import type { ChainBookOptions } from './book.ts';
import { LOCAL_CHAIN_ID, LOCAL_TOKEN } from './test-token.ts';

/** Works on a copy: a chain writes its state when it ends, and the stored one belongs to the service. */
export async function openKeptChain(
  keptFile: string,
): Promise<{ readonly options: ChainBookOptions; stop(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-chain-'));
  const removeCopy = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    const stateFile = join(directory, 'chain.json');
    copyFileSync(keptFile, stateFile);
    const anvil = await startAnvil({ chainId: LOCAL_CHAIN_ID, stateFile });
    return {
      options: { network: LOCAL_TOKEN.network, rpcUrl: anvil.rpcUrl, confirmations: 1 },
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
