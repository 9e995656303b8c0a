/**
 * Compiles the test token: `scripts/node scripts/test-token.ts` writes the JSON beside its source; with `--check` it says
 * whether the committed one is what the source gives.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import solc from 'solc';

const DIRECTORY = join(import.meta.dirname, '..', 'src', 'adapters', 'x402', 'token');
const TARGET = join(DIRECTORY, 'test-dollar.json');

/** The artifact as text, exactly as it is committed. */
export function compileToken(): string {
  const source = readFileSync(join(DIRECTORY, 'TestDollar.sol'), 'utf8');
  const input = {
    language: 'Solidity',
    sources: { 'TestDollar.sol': { content: source } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'paris',
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const output: unknown = JSON.parse(solc.compile(JSON.stringify(input)));
  const { abi, evm } = getContract(output);
  return `${JSON.stringify({ abi, bytecode: `0x${evm.bytecode.object}` }, null, 2)}\n`;
}

interface Contract {
  readonly abi: readonly unknown[];
  readonly evm: { readonly bytecode: { readonly object: string } };
}

function getContract(output: unknown): Contract {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the documented form of the compiler's output
  const { contracts, errors } = output as {
    contracts?: Record<string, Record<string, Contract>>;
    errors?: { severity: string; formattedMessage: string }[];
  };
  const fatal = errors?.find(({ severity }) => severity === 'error');
  const contract = contracts?.['TestDollar.sol']?.TestDollar;
  if (fatal !== undefined || contract === undefined)
    throw new Error(fatal?.formattedMessage ?? 'no contract');
  return contract;
}

if (import.meta.main) {
  const text = compileToken();
  if (!process.argv.includes('--check')) writeFileSync(TARGET, text);
  else if (readFileSync(TARGET, 'utf8') !== text) {
    console.error('test-dollar.json is not what TestDollar.sol gives; run scripts/test-token.ts');
    process.exitCode = 1;
  }
}
