/** The hash chains of the audit trail: the worker adds entries to them, an operator verifies them. */
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database, Sql } from '#core/sql.ts';
import {
  appendLinks,
  selectChainEnd,
  lockChains,
  selectUnchainedEntries,
  type NewLink,
  selectChainedEntries,
  selectChainedOrganizations,
  countUnchained,
} from './store.ts';
import {
  computeEntryHash,
  type AuditContent,
  type ChainEnd,
  findChainBreak,
  EMPTY_CHAIN,
  INSTALLATION_ID,
} from './rules.ts';

const CHAIN_BATCH = 500;

/** Gives every unchained entry a position in the chain of its organization; returns the number of entries. */
export async function appendAuditEntries(database: Database): Promise<number> {
  let count = 0;
  for (;;) {
    const chained = await appendBatch(database);
    count += chained;
    if (chained < CHAIN_BATCH) return count;
  }
}

function appendBatch(database: Database): Promise<number> {
  return database.runTransaction(async (tx) => {
    await lockChains(labScope, tx);
    const waiting = await selectUnchainedEntries(labScope, tx, CHAIN_BATCH);
    for (const [organizationId, entries] of Map.groupBy(waiting, (entry) => entry.organization_id)) {
      const scope = createOrganizationScope(organizationId);
      await appendLinks(scope, tx, buildLinks(await selectChainEnd(scope, tx), entries));
    }
    return waiting.length;
  });
}

function buildLinks(end: ChainEnd, entries: readonly AuditContent[]): NewLink[] {
  let { position, hash } = end;
  return entries.map((entry) => {
    const prevHash = hash;
    position += 1;
    hash = computeEntryHash(entry, position, prevHash);
    return { id: entry.id, position, prevHash, hash };
  });
}

/** Verifies for the operator that no entry of the audit trail was changed or removed. */
const VERIFY_PAGE = 1_000;

export interface BrokenChain {
  /** Null for the chain of the installation. */
  readonly organizationId: string | null;
  readonly position: number;
  /** Null where the entry itself is missing. */
  readonly entryId: string | null;
  readonly problem: string;
}

export interface AuditProof {
  /** Number of organizations that have a chain. The chain of the installation does not count. */
  readonly organizations: number;
  readonly entries: number;
  /** Entries that are written but not chained yet. */
  readonly waiting: number;
  /** The first error in each broken chain. */
  readonly broken: readonly BrokenChain[];
}

/** Checks every chain from its start, in one snapshot of the data. */
export function verifyAuditTrail(database: Pick<Database, 'runTransaction'>): Promise<AuditProof> {
  return database.runTransaction(
    async (tx) => {
      const organizations = await selectChainedOrganizations(labScope, tx);
      const broken: BrokenChain[] = [];
      let entries = 0;
      for (const organizationId of organizations) {
        const chain = await walkChain(tx, organizationId);
        entries += chain.entries;
        if (chain.broken !== undefined)
          broken.push({ ...chain.broken, organizationId: toOwner(organizationId) });
      }
      const waiting = await countUnchained(labScope, tx);
      const owners = organizations.filter((id) => toOwner(id) !== null);
      return { organizations: owners.length, entries, waiting, broken };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}

function toOwner(chainOf: string): string | null {
  return chainOf === INSTALLATION_ID ? null : chainOf;
}

async function walkChain(
  sql: Sql,
  organizationId: string,
): Promise<{ entries: number; broken?: Omit<BrokenChain, 'organizationId'> }> {
  const scope = createOrganizationScope(organizationId);
  let end = EMPTY_CHAIN;
  for (;;) {
    const page = await selectChainedEntries(scope, sql, { after: end.position, limit: VERIFY_PAGE });
    for (const entry of page) {
      const problem = findChainBreak(entry, end);
      const { chain_position: position, id: entryId, hash } = entry;
      if (problem !== undefined) return { entries: end.position, broken: { position, entryId, problem } };
      end = { position, hash };
    }
    if (page.length < VERIFY_PAGE) break;
  }
  const recorded = await selectChainEnd(scope, sql);
  if (recorded.position === end.position && recorded.hash === end.hash) return { entries: end.position };
  const problem = `by the record of the chain, its last entry is ${recorded.position}`;
  const position = end.position + 1;
  return { entries: end.position, broken: { position, entryId: null, problem } };
}
