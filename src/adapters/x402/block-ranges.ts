/** Reads many blocks from a node in ranges that it accepts; error messages do not contain its address. */
import {
  BaseError,
  HttpRequestError,
  TimeoutError,
  TransactionReceiptNotFoundError,
  type PublicClient,
} from 'viem';
import { OutsideUnreachableError } from '#features/ledger/outside-book.ts';

/** Common providers allow this many; for a node that allows fewer the ranges become smaller. */
const RANGE_BLOCKS = 2_000n;

export interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

/** The address of a node often contains a key, and the library's messages contain the address. */
function createUnreachableError(what: string, error: unknown): OutsideUnreachableError {
  const text = error instanceof BaseError ? error.shortMessage : error instanceof Error ? error.message : '';
  return new OutsideUnreachableError(`RPC did not answer (${what}): ${text.split('\n', 1)[0] ?? ''}`);
}

export function askNode<Answer>(what: string, ask: () => Promise<Answer>): Promise<Answer>;
export function askNode<Answer>(
  what: string,
  ask: () => Promise<Answer>,
  unknown: 'unless unknown',
): Promise<Answer | undefined>;
/** Throws only `OutsideUnreachableError`; for a receipt that does not exist it may return undefined. */
export async function askNode<Answer>(
  what: string,
  ask: () => Promise<Answer>,
  unknown?: 'unless unknown',
): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (unknown !== undefined && error instanceof TransactionReceiptNotFoundError) return undefined;
    throw createUnreachableError(what, error);
  }
}

/** Yields the answers for consecutive ranges. A range that the node rejects is halved, and so are the next ones. */
export async function* askInRanges<Answer>(
  { from, to }: Range,
  ask: (blocks: { readonly fromBlock: bigint; readonly toBlock: bigint }) => Promise<Answer>,
): AsyncGenerator<Answer> {
  let size = RANGE_BLOCKS;
  for (let fromBlock = from; fromBlock <= to;) {
    const last = fromBlock + size - 1n;
    const toBlock = last < to ? last : to;
    let answer: { readonly given: Answer } | undefined;
    try {
      answer = { given: await ask({ fromBlock, toBlock }) };
    } catch (error) {
      if (size === 1n || isSilence(error)) throw createUnreachableError('logs', error);
      size /= 2n;
    }
    if (answer === undefined) continue;
    yield answer.given;
    fromBlock = toBlock + 1n;
  }
}

/** True when there was no answer: a smaller range would not help. */
function isSilence(error: unknown): boolean {
  if (!(error instanceof BaseError)) return true;
  const silent = error.walk(
    (each) => each instanceof TimeoutError || (each instanceof HttpRequestError && each.status === undefined),
  );
  return silent !== null;
}

/** Finds the first block at or after an instant, at most the newest; found by bisection. */
export async function findBlockAt(client: PublicClient, instant: Date, newest: bigint): Promise<bigint> {
  const seconds = BigInt(Math.floor(instant.getTime() / 1_000));
  let [low, high] = [0n, newest < 0n ? 0n : newest];
  while (low < high) {
    const middle = (low + high) / 2n;
    const { timestamp } = await askNode('block', () => client.getBlock({ blockNumber: middle }));
    if (timestamp < seconds) low = middle + 1n;
    else high = middle;
  }
  return low;
}
