/**
 * What each payment rail needs of the settings: the rail itself, which collects money, and the outside book of whoever
 * holds the money, against which the ledger check compares our books.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Work } from '#core/context.ts';
import { labScope } from '#core/scope.ts';
import { createSealer } from '#core/sealer.ts';
import type { Sql } from '#core/sql.ts';
import type { OutsideBook } from '#features/ledger/outside-book.ts';
import type { MachineRail } from '#features/payments/machine-rail.ts';
import { selectAskedWallets, selectPayersAmong } from '#features/payments/own-book-store.ts';
import { createSharedTokenRail } from '#features/payments/shared-token-rail.ts';
import type { TokenProcessor } from '#features/payments/processor.ts';
import type { SigningKey } from '#features/tokens/capability.ts';
import { createBuiltinBook, createTestTokenBook } from '#features/payments/own-books.ts';
import type { Settings } from '#settings/settings.ts';
import { deriveKey } from './derived-key.ts';

export interface RailParts {
  readonly work: Work;
  readonly keys: readonly SigningKey[];
  /** The processor that charges shared payment tokens; null: the rail `mpp-spt` is not served. */
  readonly tokens: TokenProcessor | null;
}

/** Makes every machine rail that the settings configure. */
export async function createMachineRails(settings: Settings, parts: RailParts): Promise<MachineRail[]> {
  return [...(await createChainRails(settings)), ...createSharedTokenRails(parts)];
}

function createSharedTokenRails({ work, keys, tokens }: RailParts): MachineRail[] {
  if (tokens === null) return [];
  const sealer = createSealer(deriveKey(keys, 'payment tokens'));
  return [createSharedTokenRail({ ...work, processor: tokens, sealer, getBaseUrl: () => work.site.baseUrl })];
}

/** Loaded only when configured: the libraries of a chain take a quarter of a second and 70 MB. */
async function createChainRails({ x402 }: Settings): Promise<MachineRail[]> {
  if (x402 === null) return [];
  const { createX402Rail } = await import('#adapters/x402/rail.ts');
  return [createX402Rail(x402)];
}

/** Books in the same database. */
export function createOwnBooks(sql: Sql): OutsideBook[] {
  return [createBuiltinBook(sql), createTestTokenBook(sql)];
}

/** Books that are read over the network. */
export async function createOutsideBooks({ stripe, x402 }: Settings, sql: Sql): Promise<OutsideBook[]> {
  return [
    ...(stripe === null ? [] : [await openStripeBook(stripe)]),
    ...(x402 === null ? [] : [await openChainBook({ ...x402, network: x402.token.network }, sql)]),
  ];
}

/** Loaded only where it is configured. */
async function openStripeBook(settings: NonNullable<Settings['stripe']>): Promise<OutsideBook> {
  const { createStripeBook } = await import('#adapters/processors/stripe/book.ts');
  return createStripeBook(settings);
}

/** Loaded only with a chain, like the rail itself. */
async function openChainBook(
  options: { readonly network: string; readonly rpcUrl: string; readonly confirmations: number },
  sql: Sql,
): Promise<OutsideBook> {
  const { createChainBook } = await import('#adapters/x402/book.ts');
  return createChainBook(options, {
    listWallets: () => selectAskedWallets(labScope, sql),
    listPayersAmong: (addresses) => selectPayersAmong(labScope, sql, addresses),
  });
}

/**
 * A sandbox's own chain runs with its service; when that is stopped, a copy of the stored state is opened. Undefined
 * when no such chain was ever started.
 */
export async function openSandboxChainBook(
  { environment, dataDir, x402 }: Settings,
  sql: Sql,
): Promise<{ readonly book: OutsideBook; stop(): Promise<void> } | undefined> {
  const directory = join(resolve(dataDir), 'chain');
  if (environment !== 'sandbox' || x402 !== null || !existsSync(directory)) return undefined;
  const { openSandboxChain } = await import('#adapters/x402/kept-chain.ts');
  const chain = await openSandboxChain(join(directory, 'chain.json'));
  if (chain === undefined) return undefined;
  return { book: await openChainBook(chain.options, sql), stop: () => chain.stop() };
}
