/** Which deliveries a sender takes next, whatever else waits. */
import type { LabScope } from '#core/scope.ts';
import { getExactlyOne, type Sql, type Transaction } from '#core/sql.ts';
import { insertMany, createColumnMaker } from '#core/write-rows.ts';
import { NOT_OVER } from './delivery-store.ts';
import type { InHand } from './in-hand.ts';
import { IN_FLIGHT_PER_LANE, IN_FLIGHT_PER_ORGANIZATION, type WebhookFormat } from './rules.ts';

/** Deliveries that become due with one claim; more follow with the next. */
const RIPENED_MAX = 1_000;

/** A delivery that a sender has claimed, with what it needs to send it. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly organization_id: string;
  readonly webhook_id: string | null;
  readonly experiment_id: string | null;
  readonly lane: string;
  readonly body: string;
  readonly update_id: string | null;
  readonly update_sequence: number | null;
  /** The current address; null where the experiment no longer has one. */
  readonly url: string | null;
  readonly attempts: number;
  readonly scheduled_attempts: number;
  readonly sealed_secret: string | null;
  readonly sealed_previous_secret: string | null;
  readonly previous_secret_until: string | null;
  readonly sealed_headers: string | null;
  readonly is_enabled: boolean;
  /** The secret of the experiment, which comes before that of the organization. */
  readonly sealed_experiment_secret: string | null;
  /** The secret of an experiment that was stored before secrets were sealed. */
  readonly plain_experiment_secret: string | null;
  /** Secrets of the organization's oldest endpoint with one, for addresses without their own. */
  readonly organization_secret: string | null;
  readonly organization_previous_secret: string | null;
  readonly organization_previous_until: string | null;
  /** What the endpoint is sent; null for the address of an experiment. */
  readonly format: WebhookFormat | null;
  readonly event_type: string;
}

export interface Claim {
  readonly now: Date;
  readonly leaseUntil: Date;
  readonly batch: number;
  readonly inHand: InHand;
}

interface Looked {
  /** The last organization that was looked at. */
  readonly last_organization_id: string;
}

interface Row extends Looked, ClaimedDelivery {
  /** The place of its lane in the walk. */
  readonly lane_place: number;
}

const DUE = `d.status = 'waiting' and d.is_due`;
const RIPE = `d.status = 'waiting' and not d.is_due`;

/**
 * The next organization with something due after that of `round`, and after the last one the first again. A walk over
 * them reads one row of the index for each, however many deliveries they have.
 */
const NEXT_ORGANIZATION = `coalesce(
  (select d.organization_id from webhook_deliveries d where ${DUE} and d.organization_id > r.organization_id
   order by d.organization_id limit 1),
  case when not r.is_second then
    (select d.organization_id from webhook_deliveries d where ${DUE} order by d.organization_id limit 1) end)`;

/** The next lane of the organization with something due after that of `round`, and after the last one the first again. */
const NEXT_LANE = `coalesce(
  (select d.lane from webhook_deliveries d
   where ${DUE} and d.organization_id = o.organization_id and d.lane > r.lane order by d.lane limit 1),
  case when not r.is_second then
    (select d.lane from webhook_deliveries d
     where ${DUE} and d.organization_id = o.organization_id order by d.lane limit 1) end)`;

/**
 * Written so that each step can only take its index, whatever the statistics of the table say: the number of rows that
 * wait goes from none to thousands within a second.
 */
const CLAIM = `with recursive round (organization_id, is_second, place) as (
       select $6::uuid, false, 0
       union all
       select n.organization_id, r.is_second or n.organization_id <= r.organization_id, r.place + 1
       from round r cross join lateral (select ${NEXT_ORGANIZATION} as organization_id offset 0) n
       where n.organization_id <= $6
         or (n.organization_id > r.organization_id and not r.is_second)
     ), listed as (
       select r.organization_id, r.place, coalesce(($4::jsonb ->> r.organization_id::text)::int, 0) as in_hand,
         coalesce($7::jsonb ->> r.organization_id::text, '') as last_lane
       from round r
       where r.place > 0
         and coalesce(($4::jsonb ->> r.organization_id::text)::int, 0) < ${IN_FLIGHT_PER_ORGANIZATION}
       limit $5
     ), candidates as (
       select d.*, o.in_hand + row_number() over (partition by o.organization_id order by d.next_at, d.position) as turn
       from listed o cross join lateral (
         with recursive round (lane, is_second, place) as (
           select o.last_lane, false, 0
           union all
           select n.lane, r.is_second or n.lane <= r.lane, r.place + 1
           from round r cross join lateral (select ${NEXT_LANE} as lane offset 0) n
           where n.lane <= o.last_lane or (n.lane > r.lane and not r.is_second)
         )
         select w.id, w.next_at, w.position, r.place as lane_place
         from round r cross join lateral (
           select d.id, d.next_at, d.position from webhook_deliveries d
           where ${DUE} and d.organization_id = o.organization_id and d.lane = r.lane and d.next_at <= $1
             and (d.update_id is null or d.update_sequence is not null)
             and (d.lease_until is null or d.lease_until <= $1)
             and (select e.id from webhook_deliveries e
               where e.status = 'waiting' and e.lane = d.lane and e.experiment_id = d.experiment_id
                 and e.position < d.position and (e.scheduled_attempts = 0 or e.lease_until > $1)
               order by e.position limit 1) is null
           order by d.next_at, d.position
           limit greatest(0, ${IN_FLIGHT_PER_LANE} - coalesce(($3::jsonb ->> r.lane)::int, 0))
         ) w
         where r.place > 0
         limit least(${IN_FLIGHT_PER_ORGANIZATION} - o.in_hand,
           ceil($5::numeric / (select count(*) from listed))::int)
       ) d
     ), due as (
       select c.id from candidates c order by c.turn, c.next_at, c.position limit $5
     ), locked as (
       select w.id from due c cross join lateral (
         select d.id from webhook_deliveries d where d.id = c.id
           and ${NOT_OVER} and (d.lease_until is null or d.lease_until <= $1)
         limit 1 for update skip locked
       ) w
     ), taken as (
       update webhook_deliveries d
       set attempts = attempts + 1, scheduled_attempts = scheduled_attempts + 1, lease_until = $2
       where d.id = any(array(select id from locked))
       returning d.*
     )
     select l.organization_id as last_organization_id, c.lane_place,
       t.id, t.organization_id, t.webhook_id, t.experiment_id, t.lane, t.body, t.update_id, t.update_sequence, t.attempts, t.scheduled_attempts,
       case when t.webhook_id is null then e.webhook_url else w.url end as url,
       w.sealed_secret, w.sealed_previous_secret, w.previous_secret_until, w.sealed_headers,
       coalesce(w.is_enabled, true) as is_enabled, w.format, t.event_type,
       e.sealed_webhook_secret as sealed_experiment_secret, e.webhook_secret as plain_experiment_secret,
       o.sealed_secret as organization_secret, o.sealed_previous_secret as organization_previous_secret,
       o.previous_secret_until as organization_previous_until
     from (select organization_id from listed order by place desc limit 1) l
       left join taken t on true left join candidates c on c.id = t.id
       left join lateral (select * from webhooks where id = t.webhook_id offset 0) w on true
       left join lateral (select * from experiments where id = t.experiment_id offset 0) e on true
       left join lateral (select k.sealed_secret, k.sealed_previous_secret, k.previous_secret_until from webhooks k
         where k.organization_id = t.organization_id and k.sealed_secret is not null
         order by k.created_at, k.id limit 1) o on true
     order by t.position`;

/**
 * Claims due deliveries and writes their attempts down. Each lane and each organization gets some places, whatever waits
 * in the others. Organizations take turns, first those with the fewest in hand, and within each its lanes; a walk goes
 * on where the last claim ended and stops when it has enough, so that a claim costs the same however many wait. A
 * delivery waits for an earlier one of its experiment that was not tried yet or is being sent.
 */
export async function claimDeliveries(
  _lab: LabScope,
  tx: Transaction,
  { now, leaseUntil, batch, inHand }: Claim,
): Promise<readonly ClaimedDelivery[]> {
  const rows = await tx.query<Row | (Looked & { readonly id: null })>(CLAIM, [
    now,
    leaseUntil,
    JSON.stringify(Object.fromEntries(inHand.lanes)),
    JSON.stringify(Object.fromEntries(inHand.organizations)),
    batch,
    inHand.lastOrganizationId,
    JSON.stringify(Object.fromEntries(inHand.lastLanes)),
  ]);
  const claimed = rows.filter((row) => row.id !== null);
  if (rows[0] !== undefined) inHand.lastOrganizationId = rows[0].last_organization_id;
  for (const delivery of claimed.toSorted((a, b) => a.lane_place - b.lane_place)) inHand.moveOn(delivery);
  await insertAttempts(tx, claimed, now);
  return claimed;
}

async function insertAttempts(tx: Transaction, claimed: readonly ClaimedDelivery[], at: Date): Promise<void> {
  if (claimed.length === 0) return;
  const listValues = createColumnMaker(claimed);
  await tx.query(
    ...insertMany('webhook_attempts', {
      delivery_id: listValues('uuid', ({ id }) => id),
      organization_id: listValues('uuid', (delivery) => delivery.organization_id),
      number: listValues('int', ({ attempts }) => attempts),
      url: listValues('text', ({ url }) => url ?? ''),
      began_at: at,
    }),
  );
}

/**
 * What waits: for its turn, or for a time that has come. One of its lane or experiment can still keep it waiting. In the
 * order of an index, for the same reason as the claim.
 */
export async function findWaiting(
  _lab: LabScope,
  sql: Sql,
  now: Date,
): Promise<{ readonly hasDue: boolean; readonly hasRipe: boolean }> {
  const rows = await sql.query<{ has_due: boolean; has_ripe: boolean }>(
    `select (select d.id from webhook_deliveries d where ${DUE} order by d.organization_id, d.lane limit 1)
         is not null as has_due,
       (select d.id from webhook_deliveries d where ${RIPE} and d.next_at <= $1 order by d.next_at limit 1)
         is not null as has_ripe`,
    [now],
  );
  const { has_due: hasDue, has_ripe: hasRipe } = getExactlyOne(rows);
  return { hasDue, hasRipe };
}

/** Makes deliveries due whose time has come, the oldest first. */
export async function updateRipeDeliveries(_lab: LabScope, tx: Transaction, now: Date): Promise<void> {
  await tx.query(
    `update webhook_deliveries set is_due = true where id = any(array(
       select d.id from webhook_deliveries d where ${RIPE} and d.next_at <= $1
       order by d.next_at limit ${RIPENED_MAX} for update skip locked))`,
    [now],
  );
}
