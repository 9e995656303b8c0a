/**
 * The queue of background jobs: a table in the same database, so that a job commits together with the change it
 * belongs to.
 */
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';
import { getOrganizationId, type Scope, type LabScope } from '#core/scope.ts';
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import { JOB_STATUS } from './list-fields.ts';
import type { JobStatus } from './rules.ts';

interface NewJob {
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly dueAt: Date;
  /** At most one unfinished job per key; a second one is dropped. */
  readonly uniqueKey?: string;
  /** Of processes that held an earlier job which did the same work. */
  readonly deaths?: number;
}

export interface Job {
  readonly id: number;
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly attempts: number;
  /** Null: of the lab. */
  readonly organization_id: string | null;
  /** Processes that died while they held it for longer than a renewal of its lease takes. */
  readonly deaths: number;
}

export async function enqueue(scope: Scope, tx: Transaction, job: NewJob, at: Date): Promise<void> {
  await tx.query(
    ...insertInto(
      'jobs',
      {
        organization_id: getOrganizationId(scope),
        kind: job.kind,
        payload: JSON.stringify(job.payload),
        unique_key: job.uniqueKey ?? null,
        deaths: job.deaths ?? 0,
        next_at: job.dueAt,
        created_at: at,
      },
      'on conflict (unique_key) where done_at is null and failed_at is null and unique_key is not null do nothing',
    ),
  );
}

/** Finds how many processes died of the newest job with this key; 0 where that is done. */
export async function findDeaths(sql: Sql, uniqueKey: string): Promise<number> {
  const rows = await sql.query<{ deaths: number }>(
    `select case when done_at is null then deaths else 0 end as deaths from jobs where unique_key = $1
     order by id desc limit 1`,
    [uniqueKey],
  );
  return getFirst(rows)?.deaths ?? 0;
}

export interface Claim {
  readonly now: Date;
  readonly leaseMs: number;
  /** Of all kinds that have no places of their own. */
  readonly batch: number;
  /** Free places of the kinds that may take only some. */
  readonly places: ReadonlyMap<string, number>;
  /** Kinds and organizations that get no job of that kind now. */
  readonly busy?: readonly KindOfOrganization[];
  /** Free places of jobs that a process held when it died: one at a time, so that the next death names its job. */
  readonly suspects: number;
}

export interface KindOfOrganization {
  readonly kind: string;
  readonly organizationId: string | null;
}

/**
 * Claims due jobs for `leaseMs`. When a worker dies, its jobs become free as the lease ends, and whoever takes one over
 * counts the death where the job had been in hand for long.
 */
export async function claimJobs(
  sql: Sql,
  { now, leaseMs, batch, places, busy = [], suspects }: Claim,
): Promise<Job[]> {
  const leaseUntil = new Date(now.getTime() + leaseMs);
  return sql.query<Job>(
    `with common as materialized (
       select id from jobs where ${DUE} and not ${SUSPECT} and kind <> all($4::text[])
       order by next_at, id limit $3 for update skip locked),
     placed as materialized (
       select j.id from unnest($4::text[], $5::int[]) as p (kind, free) cross join lateral (
         select id from jobs where ${DUE} and not ${SUSPECT} and kind = p.kind and ${NOT_BUSY}
         order by next_at, id limit greatest(p.free, 0) for update skip locked) j),
     suspect as materialized (
       select id from jobs where ${DUE} and ${SUSPECT} and ${NOT_BUSY}
       order by next_at, id limit $7 for update skip locked)
     update jobs set attempts = attempts + 1, lease_until = $2, is_long = false,
       deaths = deaths + (lease_until is not null and is_long)::int
     where id in (select id from common union all select id from placed union all select id from suspect)
     returning id, kind, payload, attempts, organization_id, deaths`,
    [
      now,
      leaseUntil,
      Math.max(0, batch),
      [...places.keys()],
      [...places.values()],
      busy.map(({ kind, organizationId }) => `${kind} ${organizationId ?? ''}`),
      suspects,
    ],
  );
}

const NOT_BUSY = `kind || ' ' || coalesce(organization_id::text, '') <> all($6::text[])`;

/** Of a due job: a process died while it held it for long. Who ends alive gives its lease back. */
const SUSPECT = '(deaths > 0 or lease_until is not null and is_long)';

const DUE =
  'done_at is null and failed_at is null and next_at <= $1 and (lease_until is null or lease_until <= $1)';

/** Keeps long jobs with the worker that runs them, and marks them as long. */
export async function extendLeases(sql: Sql, ids: readonly number[], until: Date): Promise<void> {
  await sql.query(
    `update jobs set lease_until = $2, is_long = true where id = any($1::bigint[]) and done_at is null`,
    [ids, until],
  );
}

export async function completeJob(sql: Sql, id: number, at: Date): Promise<void> {
  await sql.query(`update jobs set done_at = $2, lease_until = null where id = $1`, [id, at]);
}

export async function postponeJob(
  sql: Sql,
  id: number,
  retry: { readonly nextAt: Date; readonly error: string },
): Promise<void> {
  await sql.query(`update jobs set next_at = $2, lease_until = null, last_error = $3 where id = $1`, [
    id,
    retry.nextAt,
    retry.error,
  ]);
}

export async function abandonJob(
  sql: Sql,
  id: number,
  failure: { readonly at: Date; readonly error: string },
): Promise<void> {
  await sql.query(`update jobs set failed_at = $2, lease_until = null, last_error = $3 where id = $1`, [
    id,
    failure.at,
    failure.error,
  ]);
}

/** Finds the time of the next job; undefined when none is waiting. */
export async function selectNextDueAt(sql: Sql): Promise<string | undefined> {
  const rows = await sql.query<{ due_at: string | null }>(
    `select min(greatest(next_at, coalesce(lease_until, next_at))) as due_at
     from jobs where done_at is null and failed_at is null`,
  );
  return getFirst(rows)?.due_at ?? undefined;
}

/** Frees the jobs of a worker that is known to be dead. Called at the start of the only process on a database. */
export async function releaseLeases(sql: Sql): Promise<void> {
  await sql.query(
    `update jobs set lease_until = null, deaths = deaths + is_long::int where done_at is null and failed_at is null and lease_until is not null`,
  );
}

/** Gives back jobs that this process ended without being able to say so, their attempts too; whoever took one over since keeps it. */
export async function giveBackJobs(
  sql: Sql,
  ids: readonly number[],
  { leaseMax }: { readonly leaseMax: Date },
): Promise<void> {
  await sql.query(
    `update jobs set lease_until = null, attempts = attempts - 1
     where id = any($1::bigint[]) and done_at is null and lease_until <= $2`,
    [ids, leaseMax],
  );
}

/** Takes back the attempts of jobs whose process is stopped on purpose: a kill that ends a slow stop accuses none of them. */
export async function markJobsStopping(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql.query(
    `update jobs set is_long = false, attempts = attempts - 1 where id = any($1::bigint[]) and done_at is null`,
    [ids],
  );
}

/** What staff see of the jobs of every organization; payloads stay inside, because some hold a secret. */
const ITEM = `j.id::text as id, j.kind, ${JOB_STATUS} as status, j.organization_id, o.name as organization_name,
  e.code as experiment_code, j.attempts, j.last_error, ${writeWireTime('j.created_at')} as created_at,
  ${writeWireTime('j.next_at')} as next_at, ${writeWireTime('j.failed_at')} as failed_at`;
const ORGANIZATION = 'left join organizations o on o.id = j.organization_id';
const EXPERIMENT = `left join experiments e on e.id::text = j.payload ->> 'experiment_id'`;

export function listJobsPage(_lab: LabScope, sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: ITEM,
      from: 'jobs j',
      alias: 'j',
      joins: [
        { alias: 'o', sql: ORGANIZATION },
        { alias: 'e', sql: EXPERIMENT },
      ],
      where: 'j.done_at is null',
      values: [],
    },
    query,
  );
}

interface JobRow {
  readonly id: string;
  readonly kind: string;
  readonly status: JobStatus;
  readonly organization_id: string | null;
  readonly organization_name: string | null;
  readonly experiment_code: string | null;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly next_at: string;
  readonly failed_at: string | null;
}

/** Finds an unfinished job; a worker that wants it waits until the transaction ends. */
export async function lockJob(_lab: LabScope, tx: Transaction, id: string): Promise<JobRow | undefined> {
  return getFirst(
    await tx.query<JobRow>(
      `select ${ITEM} from jobs j ${ORGANIZATION} ${EXPERIMENT} where j.id = $1::bigint and j.done_at is null
       for update of j`,
      [id],
    ),
  );
}

/** Makes a given-up job due again. Answers false where a newer job has its key, which does the same work. */
export async function resumeJob(tx: Transaction, id: string, at: Date): Promise<boolean> {
  const rows = await tx.query<{ id: number }>(
    `update jobs j set failed_at = null, attempts = 0, deaths = 0, next_at = $2, lease_until = null
     where j.id = $1::bigint and not exists (select 1 from jobs n where n.unique_key = j.unique_key
       and n.id <> j.id and n.done_at is null and n.failed_at is null)
     returning j.id`,
    [id, at],
  );
  return rows.length > 0;
}
