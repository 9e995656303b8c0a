/** Adds audit entries to the hash chains. The worker calls it. */
import { labScope, organizationScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import {
  appendLinks,
  chainEnd,
  lockChains,
  unchainedEntries,
  type NewLink,
} from '#domain/audit/chain-store.ts';
import { entryHash, type AuditContent, type ChainEnd } from '#domain/audit/rules.ts';

const CHAIN_BATCH = 500;

/** Gives every unchained entry a position in the chain of its organization; returns the number of entries. */
export async function chainAuditEntries(database: Database): Promise<number> {
  let count = 0;
  for (;;) {
    const chained = await chainBatch(database);
    count += chained;
    if (chained < CHAIN_BATCH) return count;
  }
}

function chainBatch(database: Database): Promise<number> {
  return database.transaction(async (tx) => {
    await lockChains(labScope, tx);
    const waiting = await unchainedEntries(labScope, tx, CHAIN_BATCH);
    for (const [organizationId, entries] of Map.groupBy(waiting, (entry) => entry.organization_id)) {
      const scope = organizationScope(organizationId);
      await appendLinks(scope, tx, linksAfter(await chainEnd(scope, tx), entries));
    }
    return waiting.length;
  });
}

function linksAfter(end: ChainEnd, entries: readonly AuditContent[]): NewLink[] {
  let { position, hash } = end;
  return entries.map((entry) => {
    const prevHash = hash;
    position += 1;
    hash = entryHash(entry, position, prevHash);
    return { id: entry.id, position, prevHash, hash };
  });
}
