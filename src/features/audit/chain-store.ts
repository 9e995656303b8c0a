/**
 * Statements over the hash chains: entries that have no position yet, entries that have one, and the last entry of
 * each chain.
 */
import type { LabScope, OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { insertInto, createManyValues, updateMany } from '#core/write-rows.ts';
import { EMPTY_CHAIN, HASH_VERSION, type AuditContent, type ChainedEntry, type ChainEnd } from './rules.ts';

const content = `id, organization_id, sequence, user_id, token_id, token_path::text[] as token_path, actor_kind, actor, operation_id,
  subject, status, request_id, address, details::text as details,
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at`;

/** Only one process at a time assigns positions. Transactions that write entries do not wait for it. */
export async function lockChains(_lab: LabScope, tx: Transaction): Promise<void> {
  await tx.query(`lock table audit_chains in share row exclusive mode`);
}

export async function selectUnchainedEntries(
  _lab: LabScope,
  sql: Sql,
  limit: number,
): Promise<AuditContent[]> {
  return sql.query<AuditContent>(
    `select ${content} from audit_log where chain_position is null order by sequence limit $1`,
    [limit],
  );
}

export async function countUnchained(_lab: LabScope, sql: Sql): Promise<number> {
  const rows = await sql.query<{ count: number }>(
    `select count(*) as count from audit_log where chain_position is null`,
  );
  return getFirst(rows)?.count ?? 0;
}

export async function selectChainEnd(scope: OrganizationScope, sql: Sql): Promise<ChainEnd> {
  const rows = await sql.query<ChainEnd>(
    `select last_position as position, last_hash as hash from audit_chains where organization_id = $1`,
    [scope.organizationId],
  );
  return getFirst(rows) ?? EMPTY_CHAIN;
}

export interface NewLink {
  readonly id: string;
  readonly position: number;
  readonly prevHash: string;
  readonly hash: string;
}

/** Gives entries their positions and records the last of them as the end of the chain. */
export async function appendLinks(
  scope: OrganizationScope,
  tx: Transaction,
  links: readonly NewLink[],
): Promise<void> {
  const last = links.at(-1);
  if (last === undefined) return;
  await tx.query(
    ...updateMany(
      'audit_log',
      {
        key: {
          id: createManyValues(
            'uuid',
            links.map(({ id }) => id),
          ),
        },
        change: {
          chain_position: createManyValues(
            'bigint',
            links.map(({ position }) => position),
          ),
          prev_hash: createManyValues(
            'text',
            links.map(({ prevHash }) => prevHash),
          ),
          hash: createManyValues(
            'text',
            links.map(({ hash }) => hash),
          ),
          hash_version: createManyValues(
            'int',
            links.map(() => HASH_VERSION),
          ),
        },
      },
      'and audit_log.organization_id = $1 and audit_log.chain_position is null',
      [scope.organizationId],
    ),
  );
  await tx.query(
    ...insertInto(
      'audit_chains',
      { organization_id: scope.organizationId, last_position: last.position, last_hash: last.hash },
      `on conflict (organization_id) do update
       set last_position = excluded.last_position, last_hash = excluded.last_hash`,
    ),
  );
}

/** Lists every organization that has a chain or has entries with a position. */
export async function selectChainedOrganizations(_lab: LabScope, sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ organization_id: string }>(
    `select organization_id from audit_chains union
     select organization_id from audit_log where chain_position is not null order by organization_id`,
  );
  return rows.map((row) => row.organization_id);
}

export async function selectChainedEntries(
  scope: OrganizationScope,
  sql: Sql,
  page: { readonly after: number; readonly limit: number },
): Promise<ChainedEntry[]> {
  return sql.query<ChainedEntry>(
    `select ${content}, chain_position, prev_hash, hash, hash_version from audit_log
     where organization_id = $1 and chain_position > $2 order by chain_position limit $3`,
    [scope.organizationId, page.after, page.limit],
  );
}
