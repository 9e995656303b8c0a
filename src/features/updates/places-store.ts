/** Statements that give updates their places in the feed. */
import type { LabScope } from '#core/scope.ts';
import { getExactlyOne, type Sql, type Transaction } from '#core/sql.ts';
import type { Place, WaitingUpdate } from './places.ts';

/** Whether an update waits for its place. */
export async function hasWaitingUpdates(_lab: LabScope, sql: Sql): Promise<boolean> {
  const rows = await sql.query<{ waits: boolean }>(
    `select exists (select 1 from updates where sequence is null) as waits`,
  );
  return getExactlyOne(rows).waits;
}

/** Only one process at a time gives places; those who write updates do not wait for it. Returns the last id given. */
export async function lockHead(tx: Transaction): Promise<string> {
  const rows = await tx.query<{ last_id: string }>(`select last_id from update_head for update`);
  return getExactlyOne(rows).last_id;
}

/** Selects waiting updates in the order of their arrival, under the lock of `lockHead`. */
export async function selectWaitingUpdates(
  _lab: LabScope,
  tx: Transaction,
  limit: number,
): Promise<WaitingUpdate[]> {
  return tx.query<WaitingUpdate>(
    `with waiting as materialized (
       select arrival, id, organization_id from updates where sequence is null order by arrival limit $1),
     ends as materialized (
       select o.organization_id, coalesce((select u.sequence from updates u
         where u.organization_id = o.organization_id and u.sequence is not null
         order by u.sequence desc limit 1), 0) as last_sequence
       from (select distinct organization_id from waiting) o)
     select w.arrival, w.id, w.organization_id, e.last_sequence
     from waiting w join ends e on e.organization_id = w.organization_id order by w.arrival`,
    [limit],
  );
}

/** Writes the places and moves the head to the last of them. */
export async function placeUpdates(_lab: LabScope, tx: Transaction, places: readonly Place[]): Promise<void> {
  const last = places.at(-1);
  if (last === undefined) return;
  await tx.query(
    `with moved as (update update_head set last_id = $4)
     update updates u set id = p.id, sequence = p.sequence
     from unnest($1::bigint[], $2::uuid[], $3::bigint[]) as p (arrival, id, sequence)
     where u.arrival = p.arrival and u.sequence is null`,
    [
      places.map(({ arrival }) => arrival),
      places.map(({ id }) => id),
      places.map(({ sequence }) => sequence),
      last.id,
    ],
  );
}
