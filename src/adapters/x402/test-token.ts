/** The test dollar of local chains, at the address of Base Sepolia's test dollar, so that clients recognize it. */
import {
  createTestClient,
  getAddress,
  http,
  pad,
  parseAbi,
  publicActions,
  toHex,
  walletActions,
  type Address,
} from 'viem';
import type { Token } from '#features/payments/x402-rules.ts';
import artifact from './token/test-dollar.json' with { type: 'json' };

export const LOCAL_CHAIN_ID = 84_532;
export const LOCAL_TOKEN = {
  network: `eip155:${LOCAL_CHAIN_ID}`,
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  name: 'USDC',
  version: '2',
  decimals: 6,
} as const satisfies Token;

/** Storage slots of `name`, `version` and `symbol`. */
const COPIED_SLOTS = [0, 1, 2];

export const tokenAbi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

export function createLocalClient(rpcUrl: string) {
  return createTestClient({ mode: 'anvil', pollingInterval: 20, transport: http(rpcUrl) })
    .extend(publicActions)
    .extend(walletActions);
}

/** Puts the token on a local chain once; a stored chain has it already. */
export async function placeTestToken(rpcUrl: string): Promise<void> {
  const client = createLocalClient(rpcUrl);
  const address = getAddress(LOCAL_TOKEN.asset);
  if ((await client.getCode({ address })) !== undefined) return;
  const deployer = await readMinter(rpcUrl);
  const hash = await client.deployContract({
    account: deployer,
    chain: null,
    abi: artifact.abi,
    bytecode: toHex(Buffer.from(artifact.bytecode.slice(2), 'hex')),
    args: [LOCAL_TOKEN.name, LOCAL_TOKEN.version, LOCAL_TOKEN.name],
  });
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  const code =
    typeof contractAddress === 'string' ? await client.getCode({ address: contractAddress }) : undefined;
  if (typeof contractAddress !== 'string' || code === undefined)
    throw new Error('the test token was not deployed');
  await client.setCode({ address, bytecode: code });
  for (const slot of COPIED_SLOTS) {
    const value = await client.getStorageAt({ address: contractAddress, slot: toHex(slot) });
    await client.setStorageAt({ address, index: slot, value: pad(value ?? '0x00', { size: 32 }) });
  }
}

/** Gives a wallet test dollars, in base units. */
export async function mintTestToken(rpcUrl: string, to: Address, value: bigint): Promise<void> {
  const client = createLocalClient(rpcUrl);
  const hash = await client.writeContract({
    account: await readMinter(rpcUrl),
    chain: null,
    address: getAddress(LOCAL_TOKEN.asset),
    abi: tokenAbi,
    functionName: 'mint',
    args: [to, value],
  });
  await client.waitForTransactionReceipt({ hash });
}

/** Reads the first account that a local chain keeps unlocked. */
async function readMinter(rpcUrl: string): Promise<Address> {
  const [first] = await createLocalClient(rpcUrl).getAddresses();
  if (first === undefined) throw new Error('the local chain has no accounts');
  return first;
}
