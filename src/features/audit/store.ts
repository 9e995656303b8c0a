/** The rows of the audit trail: its entries, the lists of them, and the hash chains. */
import {
  type ActorKind,
  EMPTY_CHAIN,
  HASH_VERSION,
  type AuditContent,
  type ChainedEntry,
  type ChainEnd,
} from './rules.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { expression, insertOwned, updateMany, createColumnMaker } from '#core/write-rows.ts';
import type { OrganizationScope, LabScope } from '#core/scope.ts';
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';

interface AuditEntry {
  readonly id: string;
  readonly user_id: string | null;
  readonly token_id: string | null;
  readonly actor_kind: ActorKind;
  /** The actor in words: an e-mail address, or `simulated lab`, `payment page`. */
  readonly actor: string;
  readonly operation_id: string;
  readonly subject: string | null;
  /** HTTP status of the answer. */
  readonly status: number;
  readonly request_id: string | null;
  readonly address: string | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly created_at: Date;
}

/** Writes the entry in the transaction of the change. `chainEntries` gives it its position in the chain later. */
export async function insertAudit(scope: OrganizationScope, sql: Sql, entry: AuditEntry): Promise<void> {
  await sql.query(
    ...insertOwned(scope, 'audit_log', {
      ...entry,
      token_path: expression`coalesce((select path from tokens where id = ${entry.token_id}), '{}')`,
      details: entry.details === null ? null : JSON.stringify(entry.details),
    }),
  );
}

/** Finds the newest entry of one operation since a time; undefined when there is none. */
export async function selectLatestOfOperation(
  scope: OrganizationScope,
  sql: Sql,
  operation: string,
  since: Date,
): Promise<(Pick<AuditEntry, 'details'> & { readonly created_at: string }) | undefined> {
  return getFirst(
    await sql.query(
      `select details, created_at from audit_log
       where organization_id = $1 and operation_id = $2 and created_at >= $3
       order by created_at desc, id desc limit 1`,
      [scope.organizationId, operation, since],
    ),
  );
}

const ITEM = `a.id, ${writeWireTime('a.created_at')} as created_at, a.actor_kind, a.actor, a.user_id, a.token_id, a.token_path,
  a.operation_id as operation, a.subject, a.status, a.details, a.request_id, a.address, a.chain_position as position,
  a.prev_hash, a.hash, a.hash_version, a.organization_id, a.details::text as details_text,
  case when a.hash is not null and a.hash_version = 1 then a.sequence end as sequence`;

export function listAuditPage(scope: OrganizationScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: ITEM,
      from: 'audit_log a',
      alias: 'a',
      where: 'a.organization_id = $1',
      values: [scope.organizationId],
    },
    query,
  );
}

/** Lists the entries of all organizations and of the installation, whose `organization_name` is null. */
export function listAllAuditPage(_lab: LabScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: `${ITEM}, o.name as organization_name`,
      from: 'audit_log a',
      alias: 'a',
      joins: [{ alias: 'o', sql: 'left join organizations o on o.id = a.organization_id' }],
      where: 'true',
      values: [],
    },
    query,
  );
}

/** What was changed a moment ago. */
export interface RecentChange {
  readonly id: string;
  readonly operation_id: string;
  /** ISO 8601. */
  readonly created_at: string;
  /** What the operation was asked about, as its address or its answer names it. */
  readonly subject: string | null;
  /** Ids of the experiments that it touched. */
  readonly experiments: readonly string[];
}

/** An experiment itself, or those of a run, a quote, an invoice or a refund. */
const EXPERIMENTS = `array(
  select e.id::text from experiments e where e.id = s.uuid
  union select e.id::text from experiments e where e.code = upper(a.subject)
  union select r.experiment_id::text from lab_run_experiments r where r.lab_run_id = s.uuid
  union select r.experiment_id::text from lab_runs n join lab_run_experiments r on r.lab_run_id = n.id
    where n.number = s.run_number
  union select q.experiment_id::text from quotes q where q.id = a.subject
  union select i.experiment_id::text from invoices i where i.id = s.uuid
  union select i.experiment_id::text from refunds f join invoices i on i.id = f.invoice_id where f.id = s.uuid)`;

/** Selects the newest entries of some operations since a time, oldest first. */
export async function selectRecentChanges(
  _lab: LabScope,
  sql: Sql,
  { operations, since, limit }: { operations: readonly string[]; since: Date; limit: number },
): Promise<RecentChange[]> {
  const rows = await sql.query<RecentChange>(
    `select a.id, a.operation_id, a.created_at, a.subject, ${EXPERIMENTS} as experiments
     from (
       select id, operation_id, created_at, subject from audit_log
       where created_at >= $1 and operation_id = any($2) order by created_at desc, id desc limit $3
     ) a cross join lateral (select case
       when a.subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then a.subject::uuid end as uuid,
         case when a.subject ~ '^RUN-[0-9]{1,9}$' then substring(a.subject from 5)::int end as run_number) s
     order by a.created_at desc, a.id desc`,
    [since, operations, limit],
  );
  return rows.toReversed();
}

/**
 * Statements over the hash chains: entries that have no position yet, entries that have one, and the last entry of
 * each chain.
 */
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
  const listValues = createColumnMaker(links);
  await tx.query(
    ...updateMany(
      'audit_log',
      {
        key: {
          id: listValues('uuid', ({ id }) => id),
        },
        change: {
          chain_position: listValues('bigint', ({ position }) => position),
          prev_hash: listValues('text', ({ prevHash }) => prevHash),
          hash: listValues('text', ({ hash }) => hash),
          hash_version: listValues('int', () => HASH_VERSION),
        },
      },
      'and audit_log.organization_id = $1 and audit_log.chain_position is null',
      [scope.organizationId],
    ),
  );
  await tx.query(
    ...insertOwned(
      scope,
      'audit_chains',
      { last_position: last.position, last_hash: last.hash },
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
