/**
 * The rail and the outside books of a chain. Loaded only where one is configured or kept: the libraries take a quarter of
 * a second and 70 MB.
 */
import { createChainBook, type ChainBookOptions } from '#adapters/x402/book.ts';
import { openSandboxChain } from '#adapters/x402/kept-chain.ts';
import { createX402Rail } from '#adapters/x402/rail.ts';
import { labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type { OutsideBook } from '#features/ledger/outside-book.ts';
import type { MachineRail } from '#features/payments/machine-rail.ts';
import { selectAskedWallets, selectPayersAmong } from '#features/payments/own-book-store.ts';
import type { Settings } from '#settings/settings.ts';

type ChainSettings = NonNullable<Settings['x402']>;

export function createChainRail(settings: ChainSettings): MachineRail {
  return createX402Rail(settings);
}

export function createConfiguredBook(settings: ChainSettings, sql: Sql): OutsideBook {
  return createBook({ ...settings, network: settings.token.network }, sql);
}

/** A chain whose state a sandbox has stored in this file; undefined where there is none. */
export async function openKeptBook(
  stateFile: string,
  sql: Sql,
): Promise<{ readonly book: OutsideBook; stop(): Promise<void> } | undefined> {
  const chain = await openSandboxChain(stateFile);
  if (chain === undefined) return undefined;
  return { book: createBook(chain.options, sql), stop: () => chain.stop() };
}

function createBook(options: ChainBookOptions, sql: Sql): OutsideBook {
  return createChainBook(options, {
    listWallets: () => selectAskedWallets(labScope, sql),
    listPayersAmong: (addresses) => selectPayersAmong(labScope, sql, addresses),
  });
}
