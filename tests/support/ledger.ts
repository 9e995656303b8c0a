/** The ledger check as an operator makes it, against the outside that a test has set up. */
import assert from 'node:assert/strict';
import type { Clock } from '#core/clock.ts';
import type { Database } from '#core/sql.ts';
import type { OutsideBook } from '#features/ledger/outside-book.ts';
import { createLedgerReport, type LedgerReport } from '#features/ledger/check-ledger.ts';
import { createOutsideBooks, createOwnBooks } from '#composition/payment-rails.ts';
import { readSettings } from '#settings/settings.ts';
import { LOCAL_TOKEN } from '#adapters/x402/test-token.ts';
import type { TestChain } from './chain.ts';

/** Everything that ever moved. */
const ALWAYS = new Date('2020-01-01T00:00:00.000Z');

export interface LedgerParts {
  readonly database: Database;
  readonly clock: Clock;
}

/** Books of our own and those that the settings name. */
async function createBooks(
  { database }: Pick<LedgerParts, 'database'>,
  variables: Readonly<Record<string, string>> = {},
): Promise<OutsideBook[]> {
  const settings = readSettings({ DATA_DIR: '/nonexistent', ...variables });
  return [...createOwnBooks(database.read), ...(await createOutsideBooks(settings, database.read))];
}

export async function checkWithOutside(
  parts: LedgerParts,
  variables: Readonly<Record<string, string>> = {},
  since: Date = ALWAYS,
): Promise<LedgerReport> {
  return createLedgerReport({ ...parts, books: await createBooks(parts, variables) }, since);
}

export function buildChainVariables(
  {
    options,
    payTo,
  }: { readonly options: Pick<TestChain['options'], 'rpcUrl' | 'facilitatorUrl'>; readonly payTo: string },
  besides: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return {
    X402_NETWORK: LOCAL_TOKEN.network,
    X402_ASSET: LOCAL_TOKEN.asset,
    X402_ASSET_NAME: LOCAL_TOKEN.name,
    X402_ASSET_VERSION: LOCAL_TOKEN.version,
    X402_PAY_TO: payTo,
    X402_RPC_URL: options.rpcUrl,
    X402_FACILITATOR_URL: options.facilitatorUrl,
    ...besides,
  };
}

/** Cents that the outside holds of ours: what arrived on a rail less what went back. */
export function sumHeldOutside({ rails }: LedgerReport, rail: string): number {
  return rails
    .filter((row) => row.rail === rail)
    .reduce(
      (sum, { direction, outside_cents: cents }) => (direction === 'received' ? sum + cents : sum - cents),
      0,
    );
}

/** Settled money outside is the money of the books, every posting was found, and nothing is on its way. */
export function expectWholeLedger(report: LedgerReport, story = ''): void {
  const { findings, not_compared: notCompared, in_flight: flights, rails } = report;
  assert.deepEqual({ findings, notCompared, flights }, { findings: [], notCompared: [], flights: [] }, story);
  for (const row of rails) {
    assert.equal(row.movements, row.entries, `${row.rail} ${row.direction} ${story}`);
    assert.equal(row.outside_cents, row.books_cents, `${row.rail} ${row.direction} ${story}`);
  }
}

export function listKinds({ findings }: LedgerReport): string[] {
  return findings.map(({ kind }) => kind);
}
