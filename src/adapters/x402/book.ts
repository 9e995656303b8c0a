/**
 * A chain as an outside book for the ledger check: every transfer of a token that an invoice asked for to a wallet
 * that it named, and every transfer from such a wallet to a payer. Other transfers from a wallet are
 * ignored, because they are no refunds.
 */
import {
  createPublicClient,
  getAddress,
  http,
  parseAbi,
  parseEventLogs,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { CURRENCY } from '#core/money.ts';
import {
  toExactFromUnits,
  type BookEntry,
  type Movement,
  type OutsideBook,
} from '#features/ledger/outside-book.ts';
import type { AskedWallet } from '#features/payments/own-book-store.ts';
import { parseChainId } from '#features/payments/x402-rules.ts';
import { askNode, findBlockAt, askInRanges } from './block-ranges.ts';

const TIMEOUT_MS = 5_000;
const RETRIES = 2;
const CLOCK_SKEW_MS = 3_600_000;
const RAIL = 'x402-exact';
const HASH = /^0x[0-9a-f]{64}$/;

const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);

export interface ChainBookOptions {
  /** CAIP-2; the RPC must serve this network. */
  readonly network: string;
  readonly rpcUrl: string;
  readonly confirmations: number;
  /** Limit of one request; default 5 s. */
  readonly rpcTimeoutMs?: number;
}

/** The service's own records of payments on chains. */
export interface ChainRecords {
  listWallets(): Promise<readonly AskedWallet[]>;
  listPayersAmong(addresses: readonly string[]): Promise<ReadonlySet<string>>;
}

export function createChainBook(options: ChainBookOptions, records: ChainRecords): OutsideBook {
  const { network, rpcUrl, confirmations, rpcTimeoutMs = TIMEOUT_MS } = options;
  const client = createPublicClient({
    transport: http(rpcUrl, { timeout: rpcTimeoutMs, retryCount: RETRIES }),
  });
  const opened: { setting?: Promise<Setting> } = {};
  const getSetting = (): Promise<Setting> => {
    opened.setting ??= loadSetting(client, network, confirmations, records);
    return opened.setting;
  };
  return {
    name: network,
    rails: [RAIL],
    isOwnEntry: ({ rail, reference, transfer }) =>
      rail === RAIL && transfer?.network === network && HASH.test(reference),
    lookUp: async (entry) => lookUp(client, await getSetting(), entry),
    async *listMovements(since) {
      const { wallets, newest } = await getSetting();
      const [firstWallet] = wallets;
      if (firstWallet === undefined) return;
      const firstMs = Math.min(...wallets.map(({ first_asked_at: at }) => Date.parse(at))) - CLOCK_SKEW_MS;
      const oldest = await findBlockAt(client, new Date(Math.max(since.getTime(), firstMs)), newest);
      for await (const range of askInRanges({ from: oldest, to: newest }, (blocks) =>
        listTransfers(client, wallets, blocks),
      ))
        yield buildMovements(range, wallets, await findPayers(range, wallets, records));
    },
  };
}

interface Setting {
  readonly wallets: readonly AskedWallet[];
  /** The last block with enough confirmations. */
  readonly newest: bigint;
}

async function loadSetting(
  client: PublicClient,
  network: string,
  confirmations: number,
  records: ChainRecords,
): Promise<Setting> {
  await askNode('chain id', async () => {
    const id = await client.getChainId();
    if (id !== parseChainId(network)) throw new Error(`the RPC serves eip155:${id}`);
  });
  const latest = await askNode('newest block', () => client.getBlockNumber({ cacheTime: 0 }));
  const wallets = (await records.listWallets()).filter((wallet) => wallet.network === network);
  return { wallets, newest: latest - BigInt(confirmations) + 1n };
}

interface Transfer {
  readonly asset: string;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly transaction: Hex;
  readonly at: Date;
}

const toLowerCase = (address: string): string => address.toLowerCase();

/** Transfers into and out of the wallets. */
async function listTransfers(
  client: PublicClient,
  wallets: readonly AskedWallet[],
  blocks: { readonly fromBlock: bigint; readonly toBlock: bigint },
): Promise<readonly Transfer[]> {
  const address = toDistinctAddresses(wallets.map(({ asset }) => asset));
  const own = toDistinctAddresses(wallets.map(({ pay_to: payTo }) => payTo));
  const range = { address, event: abi[0], strict: true, ...blocks } as const;
  const logs = [
    ...(await client.getLogs({ ...range, args: { to: own } })),
    ...(await client.getLogs({ ...range, args: { from: own } })),
  ];
  if (logs.length === 0) return [];
  // Most nodes give the time; otherwise that of the start of the range is close enough.
  const { timestamp } = await client.getBlock({ blockNumber: blocks.fromBlock });
  return logs.map((log) => ({
    asset: toLowerCase(log.address),
    from: toLowerCase(log.args.from),
    to: toLowerCase(log.args.to),
    value: log.args.value,
    transaction: log.transactionHash,
    at: new Date(Number(log.blockTimestamp ?? timestamp) * 1_000),
  }));
}

function toDistinctAddresses(addresses: readonly string[]): Address[] {
  return [...new Set(addresses)].map((address) => getAddress(address));
}

function findPayers(
  transfers: readonly Transfer[],
  wallets: readonly AskedWallet[],
  records: ChainRecords,
): Promise<ReadonlySet<string>> {
  const outgoing = transfers.filter(({ from }) => wallets.some((wallet) => wallet.pay_to === from));
  return records.listPayersAmong([...new Set(outgoing.map(({ to }) => to))]);
}

/** A transfer from a wallet to itself moves nothing. */
function buildMovements(
  transfers: readonly Transfer[],
  wallets: readonly AskedWallet[],
  payers: ReadonlySet<string>,
): readonly Movement[] {
  const own = new Set(wallets.map(({ pay_to: payTo }) => payTo));
  return transfers.flatMap((transfer) => {
    const { from, to, asset, value } = transfer;
    const wallet = wallets.find(
      (each) => each.asset === asset && (each.pay_to === to || each.pay_to === from),
    );
    const isReceived = own.has(to);
    if (wallet === undefined || value === 0n || isReceived === own.has(from)) return [];
    if (!isReceived && !payers.has(to)) return [];
    return [buildMovement(transfer, isReceived ? 'received' : 'sent_back', wallet, 'settled')];
  });
}

function buildMovement(
  { from, to, value, transaction, at }: Transfer,
  direction: Movement['direction'],
  wallet: Pick<AskedWallet, 'units_per_cent'>,
  state: Movement['state'],
): Movement {
  return {
    rail: RAIL,
    direction,
    reference: transaction,
    party: direction === 'received' ? from : to,
    amount: toExactFromUnits(value, BigInt(wallet.units_per_cent)),
    currency: CURRENCY,
    at,
    state,
    invoice_id: null,
    refund_id: null,
  };
}

/** Looks up the transfers of one transaction that may belong to an entry. */
async function lookUp(
  client: PublicClient,
  { wallets, newest }: Setting,
  { reference, direction, transfer: wanted }: BookEntry,
): Promise<readonly Movement[]> {
  const wallet = wallets.find(({ asset }) => asset === wanted?.asset);
  if (wanted === null || wallet === undefined) return [];
  const hash: Hex = `0x${reference.slice(2)}`;
  const receipt = await askNode('receipt', () => client.getTransactionReceipt({ hash }), 'unless unknown');
  if (receipt?.status !== 'success') return [];
  const { timestamp } = await askNode('block', () => client.getBlock({ blockNumber: receipt.blockNumber }));
  const state = receipt.blockNumber <= newest ? 'settled' : 'under_way';
  return parseEventLogs({ abi, logs: receipt.logs, strict: true })
    .map(({ address, args }) => ({
      asset: toLowerCase(address),
      from: toLowerCase(args.from),
      to: toLowerCase(args.to),
      value: args.value,
      transaction: hash,
      at: new Date(Number(timestamp) * 1_000),
    }))
    .filter(
      ({ asset, from, to }) =>
        asset === wanted.asset &&
        (direction === 'received' ? to === wanted.payTo && from === wanted.payer : to === wanted.payer),
    )
    .map((each) => buildMovement(each, direction, wallet, state));
}
