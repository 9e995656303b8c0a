/** Reads the outcome of an EIP-3009 authorization from the chain itself, over JSON-RPC. */
import {
  createPublicClient,
  getAddress,
  http,
  parseAbi,
  parseEventLogs,
  TransactionReceiptNotFoundError,
  type Hex,
  type Log,
  type PublicClient,
} from 'viem';
import { parseChainId, type X402Request } from '#features/payments/x402-rules.ts';

const TIMEOUT_MS = 5_000;
/** Number of blocks per request for events; common providers allow this many. */
const LOG_WINDOW_BLOCKS = 2_000n;
/** An authorization that pays us is assumed to be signed at most this long before it expires. */
const LOOK_BACK_S = 24 * 3_600;

const abi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);

const [USED] = parseAbi(['event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)']);
const [CANCELED] = parseAbi([
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
]);

export type ChainTruth =
  | { readonly kind: 'unused' }
  /** Unused, and expired by the chain's own clock. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'transferred'; readonly txHash: Hex }
  /** Used or canceled without the requested transfer; final. */
  | { readonly kind: 'canceled' }
  /** Seen without enough confirmations, or not found yet. */
  | { readonly kind: 'pending' };

export interface Chain {
  /** Throws when the chain cannot be reached, which says nothing about the payment. */
  readTruth(request: X402Request): Promise<ChainTruth>;
  /** The wallet's current balance of the token, in base units. Throws like `readTruth`. */
  readBalance(wallet: {
    readonly network: string;
    readonly asset: string;
    readonly address: string;
  }): Promise<bigint>;
  /** Whether a confirmed transaction moved exactly this amount of the token to an address. Throws like `readTruth`. */
  hasTransfer(
    transaction: Hex,
    transfer: {
      readonly network: string;
      readonly asset: string;
      readonly to: string;
      readonly value: bigint;
    },
  ): Promise<boolean>;
}

export interface ChainOptions {
  readonly rpcUrl: string;
  /** Required confirmations of a transfer, its own block included. */
  readonly confirmations: number;
  /** Limit of one request; default 5 s. */
  readonly rpcTimeoutMs?: number;
}

export function createChain({ rpcUrl, confirmations, rpcTimeoutMs = TIMEOUT_MS }: ChainOptions): Chain {
  const client = createPublicClient({ transport: http(rpcUrl, { timeout: rpcTimeoutMs, retryCount: 0 }) });
  let chainId: Promise<number> | undefined;

  async function requireNetwork(network: string): Promise<void> {
    chainId ??= client.getChainId();
    const id = await chainId.catch((error: unknown) => {
      chainId = undefined;
      throw error;
    });
    if (id !== parseChainId(network))
      throw new Error(`the RPC serves eip155:${id}, the payment is on ${network}`);
  }

  return {
    async readTruth(request) {
      await requireNetwork(request.requirements.network);
      // Both reads use one block, so that the state is not older than the clock it is compared with.
      const block = await client.getBlock({ blockTag: 'latest' });
      const { from, nonce, validBefore } = request.authorization;
      const isUsed = await client.readContract({
        abi,
        address: getAddress(request.requirements.asset),
        functionName: 'authorizationState',
        args: [getAddress(from), toHex(nonce)],
        blockNumber: block.number,
      });
      if (!isUsed) return { kind: block.timestamp >= BigInt(validBefore) ? 'expired' : 'unused' };
      return findUse(client, request, block.number, confirmations);
    },
    async readBalance({ network, asset, address }) {
      await requireNetwork(network);
      return client.readContract({
        abi,
        address: getAddress(asset),
        functionName: 'balanceOf',
        args: [getAddress(address)],
      });
    },
    async hasTransfer(transaction, { network, asset, to, value }) {
      await requireNetwork(network);
      const receipt = await client
        .getTransactionReceipt({ hash: transaction })
        .catch((error: unknown) => ignoreUnknown(error));
      if (receipt === undefined) return false;
      const latest = await client.getBlockNumber({ cacheTime: 0 });
      const isDeep = latest - receipt.blockNumber + 1n >= BigInt(confirmations);
      return receipt.status === 'success' && isDeep && hasTransfer(receipt.logs, asset, { to, value });
    },
  };
}

/** Finds out how a used authorization was used, searching backward from the newest block. */
async function findUse(
  client: PublicClient,
  request: X402Request,
  newest: bigint,
  confirmations: number,
): Promise<ChainTruth> {
  const { from, to, value, nonce, validBefore } = request.authorization;
  const address = getAddress(request.requirements.asset);
  const oldestS = BigInt(validBefore) - BigInt(LOOK_BACK_S);
  for (let toBlock = newest; ; toBlock -= LOG_WINDOW_BLOCKS) {
    const fromBlock = toBlock >= LOG_WINDOW_BLOCKS ? toBlock - LOG_WINDOW_BLOCKS + 1n : 0n;
    const range = {
      address,
      fromBlock,
      toBlock,
      args: { authorizer: getAddress(from), nonce: toHex(nonce) },
    };
    const [used] = await client.getLogs({ ...range, event: USED, strict: true });
    if (used !== undefined) {
      const receipt = await client.getTransactionReceipt({ hash: used.transactionHash });
      if (newest - receipt.blockNumber + 1n < BigInt(confirmations)) return { kind: 'pending' };
      const paid = hasTransfer(receipt.logs, address, { from, to, value: BigInt(value) });
      return paid ? { kind: 'transferred', txHash: used.transactionHash } : { kind: 'canceled' };
    }
    const [canceled] = await client.getLogs({ ...range, event: CANCELED, strict: true });
    if (canceled !== undefined) return { kind: 'canceled' };
    if (fromBlock === 0n) return { kind: 'pending' };
    const { timestamp } = await client.getBlock({ blockNumber: fromBlock });
    if (timestamp < oldestS) return { kind: 'pending' };
  }
}

function hasTransfer(
  logs: readonly Log[],
  asset: string,
  transfer: { readonly from?: string; readonly to: string; readonly value: bigint },
): boolean {
  return parseEventLogs({ abi, eventName: 'Transfer', logs: [...logs], strict: true }).some(
    ({ address, args }) =>
      getAddress(address) === getAddress(asset) &&
      (transfer.from === undefined || args.from === getAddress(transfer.from)) &&
      args.to === getAddress(transfer.to) &&
      // What a wallet sends to itself moves no money.
      args.from !== args.to &&
      args.value === transfer.value,
  );
}

function ignoreUnknown(error: unknown): undefined {
  if (error instanceof TransactionReceiptNotFoundError) return undefined;
  throw error;
}

function toHex(text: string): Hex {
  return `0x${text.replace(/^0x/i, '').toLowerCase()}`;
}
