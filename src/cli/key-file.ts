/** The file of `--key-file`, which holds the private key of a wallet. */
import { readKey } from '#adapters/x402/sandbox-chain.ts';
import { getErrorMessage } from '#core/records.ts';
import { CommandError } from './command-error.ts';

export function readKeyFile(file: string): `0x${string}` {
  try {
    return readKey(file);
  } catch (error) {
    throw new CommandError(`--key-file: ${getErrorMessage(error)}`, 2);
  }
}
