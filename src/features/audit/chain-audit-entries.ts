/** Adds audit entries to the hash chains. The worker calls it. */
import { labScope, createOrganizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import {
  appendLinks,
  selectChainEnd,
  lockChains,
  selectUnchainedEntries,
  type NewLink,
} from './chain-store.ts';
import { computeEntryHash, type AuditContent, type ChainEnd } from './rules.ts';

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
