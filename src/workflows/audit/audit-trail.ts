/** The audit trail: read by administrators, chained by the worker, proven by the operator. */
import type { ReadContext } from '#core/context.ts';
import { parseListQuery } from '#core/filter/index.ts';
import type { Input } from '#core/operation.ts';
import { scopeOf } from '#core/principal.ts';
import type { RawJson } from '#core/raw-json.ts';
import { labScope, organizationScope } from '#core/scope.ts';
import type { Database, Sql } from '#core/sql.ts';
import {
  appendLinks,
  chainedEntries,
  chainedOrganizations,
  chainEnd,
  countUnchained,
  lockChains,
  unchainedEntries,
  type NewLink,
} from '#domain/audit/chain-store.ts';
import type { listAllAudit, listAudit } from '#domain/audit/contract.ts';
import { allAuditFields, auditFields } from '#domain/audit/list-fields.ts';
import { listAllAuditPage, listAuditPage } from '#domain/audit/list-store.ts';
import {
  breakOf,
  EMPTY_CHAIN,
  entryHash,
  INSTALLATION_ID,
  type AuditContent,
  type ChainEnd,
} from '#domain/audit/rules.ts';

const CHAIN_BATCH = 500;
const VERIFY_PAGE = 1_000;

export function auditTrail(input: Input<typeof listAudit>, context: ReadContext): Promise<RawJson> {
  const query = parseListQuery(auditFields, input.query, {
    cursors: context.cursors,
    cursorBinding: context.principal.organizationId,
  });
  return listAuditPage(scopeOf(context.principal), context.sql, query);
}

export function auditTrails(input: Input<typeof listAllAudit>, context: ReadContext): Promise<RawJson> {
  const query = parseListQuery(allAuditFields, input.query, {
    cursors: context.cursors,
    cursorBinding: 'lab',
  });
  return listAllAuditPage(labScope, context.sql, query);
}

/** Gives every entry that waits for it a place in the chain of its organization; answers how many there were. */
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

export interface BrokenChain {
  /** Null for the chain of the installation. */
  readonly organizationId: string | null;
  readonly position: number;
  /** Null where the entry itself is gone. */
  readonly entryId: string | null;
  readonly problem: string;
}

export interface AuditProof {
  /** Those that have a chain; that of the installation belongs to none. */
  readonly organizations: number;
  readonly entries: number;
  /** Written and not chained yet. */
  readonly waiting: number;
  /** The first broken place of each chain that is broken. */
  readonly broken: readonly BrokenChain[];
}

/** Walks every chain from its start, all of them as they stood at one moment. */
export function verifyAuditTrail(database: Pick<Database, 'transaction'>): Promise<AuditProof> {
  return database.transaction(
    async (tx) => {
      const organizations = await chainedOrganizations(labScope, tx);
      const broken: BrokenChain[] = [];
      let entries = 0;
      for (const organizationId of organizations) {
        const chain = await walkChain(tx, organizationId);
        entries += chain.entries;
        if (chain.broken !== undefined)
          broken.push({ ...chain.broken, organizationId: ownerOf(organizationId) });
      }
      const waiting = await countUnchained(labScope, tx);
      const owners = organizations.filter((id) => ownerOf(id) !== null);
      return { organizations: owners.length, entries, waiting, broken };
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}

function ownerOf(chainOf: string): string | null {
  return chainOf === INSTALLATION_ID ? null : chainOf;
}

async function walkChain(
  sql: Sql,
  organizationId: string,
): Promise<{ entries: number; broken?: Omit<BrokenChain, 'organizationId'> }> {
  const scope = organizationScope(organizationId);
  let end = EMPTY_CHAIN;
  for (;;) {
    const page = await chainedEntries(scope, sql, { after: end.position, limit: VERIFY_PAGE });
    for (const entry of page) {
      const problem = breakOf(entry, end);
      const { chain_position: position, id: entryId, hash } = entry;
      if (problem !== undefined) return { entries: end.position, broken: { position, entryId, problem } };
      end = { position, hash };
    }
    if (page.length < VERIFY_PAGE) break;
  }
  const recorded = await chainEnd(scope, sql);
  if (recorded.position === end.position && recorded.hash === end.hash) return { entries: end.position };
  const problem = `the chain was recorded to end with entry ${recorded.position}`;
  const position = end.position + 1;
  return { entries: end.position, broken: { position, entryId: null, problem } };
}
