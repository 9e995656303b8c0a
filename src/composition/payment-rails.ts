/**
 * What each payment rail needs of the settings: the rail itself, which collects money, and the outside book of whoever
 * holds the money, against which the ledger check compares our books.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Work } from '#core/context.ts';
import { createSealer } from '#core/sealer.ts';
import type { Sql } from '#core/sql.ts';
import type { OutsideBook } from '#features/ledger/outside-book.ts';
import type { MachineRail } from '#features/payments/machine-rail.ts';
import { createSharedTokenRail } from '#features/payments/shared-token-rail.ts';
import type { TokenProcessor } from '#features/payments/processor.ts';
import type { SigningKey } from '#features/tokens/capability.ts';
import { createBuiltinBook, createTestTokenBook } from '#features/payments/own-books.ts';
import type { Settings } from '#settings/settings.ts';
import { deriveKey } from '#features/tokens/signing-keys.ts';
import { loadStripe } from './payment-parts.ts';

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

async function createChainRails({ x402 }: Settings): Promise<MachineRail[]> {
  return x402 === null ? [] : [(await loadChains()).createChainRail(x402)];
}

function loadChains() {
  return import('./chain-rails.ts');
}

/** Books in the same database. */
export function createOwnBooks(sql: Sql): OutsideBook[] {
  return [createBuiltinBook(sql), createTestTokenBook(sql)];
}

/** Books that are read over the network. */
export async function createOutsideBooks({ stripe, x402 }: Settings, sql: Sql): Promise<OutsideBook[]> {
  return [
    ...(stripe === null ? [] : [(await loadStripe()).createStripeBook(stripe)]),
    ...(x402 === null ? [] : [(await loadChains()).createConfiguredBook(x402, sql)]),
  ];
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
  return (await loadChains()).openKeptBook(join(directory, 'chain.json'), sql);
}
