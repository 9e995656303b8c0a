/** What is to be sent, and each attempt to send it. */
import { getOrganizationId, type LabScope, type OrganizationScope, type Scope } from '#core/scope.ts';
import type { Sql, Transaction } from '#core/sql.ts';
import { createManyValues, insertInto, insertMany, updateRows } from '#core/write-rows.ts';
import type { Signer } from './sealed.ts';
import {
  IN_FLIGHT_PER_LANE,
  IN_FLIGHT_PER_ORGANIZATION,
  STATUS_CHANGED,
  type WebhookFormat,
} from './rules.ts';

/** An event as it is delivered. */
export interface EventToDeliver {
  readonly updateId: string;
  readonly eventType: string;
  readonly experimentId: string;
  /** JSON object without the id of the delivery. */
  readonly body: string;
  readonly at: Date;
}

/**
 * Writes a delivery for each address that wants the event. The address of the experiment receives its status changes
 * instead of the endpoints that name no event types; an endpoint that names them receives them of every experiment.
 */
export async function insertDeliveries(
  scope: OrganizationScope,
  tx: Transaction,
  event: EventToDeliver,
): Promise<void> {
  await tx.query(
    `insert into webhook_deliveries (id, organization_id, webhook_id, experiment_id, update_id, event_type, body, lane,
       status, next_at, created_at)
     select md5($3::uuid::text || ':' || coalesce(r.webhook_id::text, 'experiment'))::uuid, $1::uuid, r.webhook_id,
       $2::uuid, $3::uuid, $4::text, $5, r.lane, 'waiting', $6::timestamptz, $6::timestamptz
     from (
       select null::uuid as webhook_id,
         $1::uuid::text || ' ' || lower(substring(e.webhook_url from '^[A-Za-z]+://([^/?#]*)')) as lane
       from experiments e where e.organization_id = $1 and e.id = $2 and e.webhook_url is not null and $4::text = '${STATUS_CHANGED}'
       union all
       select w.id, w.id::text from webhooks w where w.organization_id = $1 and w.is_enabled
         and ($4 = any(w.event_types) or (w.event_types is null and $4 = '${STATUS_CHANGED}' and not exists (
           select 1 from experiments e where e.id = $2 and e.webhook_url is not null)))
     ) r`,
    [scope.organizationId, event.experimentId, event.updateId, event.eventType, event.body, event.at],
  );
}

export interface TestDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly eventType: string;
  readonly body: string;
  readonly at: Date;
}

export async function insertTestDelivery(
  scope: OrganizationScope,
  tx: Transaction,
  { id, webhookId, eventType, body, at }: TestDelivery,
): Promise<void> {
  await tx.query(
    ...insertInto('webhook_deliveries', {
      id,
      organization_id: scope.organizationId,
      webhook_id: webhookId,
      event_type: eventType,
      body,
      lane: webhookId,
      status: 'waiting',
      next_at: at,
      created_at: at,
    }),
  );
}

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
  /** The present address; null where the experiment no longer has one. */
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
  /** The same, as it was kept before secrets were sealed. */
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
  /** Numbers of deliveries in hand. */
  readonly inHand: {
    readonly lanes: ReadonlyMap<string, number>;
    readonly organizations: ReadonlyMap<string, number>;
  };
}

/**
 * Claims due deliveries and writes their attempts down. Each lane and each organization gets some places, whatever waits
 * in the others, and organizations take turns, first those with the fewest in hand; a delivery waits for an earlier one
 * of its experiment that was not tried yet or is being sent. The statement is written so that each step can only take its index, whatever the statistics of
 * the table say: the number of rows that wait goes from none to thousands within a second.
 */
export async function claimDeliveries(
  _lab: LabScope,
  tx: Transaction,
  { now, leaseUntil, batch, inHand }: Claim,
): Promise<ClaimedDelivery[]> {
  const claimed = await tx.query<ClaimedDelivery>(
    `with recursive lanes as (
       (select lane from webhook_deliveries where status = 'waiting' order by lane limit 1)
       union all
       select (select d.lane from webhook_deliveries d where d.status = 'waiting' and d.lane > l.lane
         order by d.lane limit 1)
       from lanes l where l.lane is not null
     ), places as (
       select l.lane, ${IN_FLIGHT_PER_LANE} - coalesce(h.n, 0) as free
       from lanes l left join unnest($3::text[], $4::int[]) as h(lane, n) on h.lane = l.lane
       where l.lane is not null
     ), candidates as (
       select d.*, row_number() over (partition by d.organization_id order by d.next_at, d.position)
         + coalesce(o.n, 0) as turn
       from places p cross join lateral (
         select w.id, w.organization_id, w.next_at, w.position from webhook_deliveries w
         where w.status = 'waiting' and w.lane = p.lane and w.next_at <= $1
           and (w.update_id is null or w.update_sequence is not null)
           and (w.lease_until is null or w.lease_until <= $1)
           and (select e.id from webhook_deliveries e
             where e.status = 'waiting' and e.lane = w.lane and e.experiment_id = w.experiment_id
               and e.position < w.position and (e.scheduled_attempts = 0 or e.lease_until > $1)
             order by e.position limit 1) is null
         order by w.next_at, w.position limit greatest(0, p.free)
       ) d left join unnest($6::uuid[], $7::int[]) as o(id, n) on o.id = d.organization_id
     ), due as (
       select c.id from candidates c where c.turn <= ${IN_FLIGHT_PER_ORGANIZATION}
       order by c.turn, c.next_at, c.position limit $5
     ), locked as (
       select id from webhook_deliveries where id in (select id from due)
         and status not in ('delivered', 'failed') and (lease_until is null or lease_until <= $1)
       for update skip locked
     ), taken as (
       update webhook_deliveries d
       set attempts = attempts + 1, scheduled_attempts = scheduled_attempts + 1, lease_until = $2
       where d.id = any(array(select id from locked))
       returning d.*
     )
     select t.id, t.organization_id, t.webhook_id, t.experiment_id, t.lane, t.body, t.update_id, t.update_sequence, t.attempts, t.scheduled_attempts,
       case when t.webhook_id is null then e.webhook_url else w.url end as url,
       w.sealed_secret, w.sealed_previous_secret, w.previous_secret_until, w.sealed_headers,
       coalesce(w.is_enabled, true) as is_enabled, w.format, t.event_type,
       e.sealed_webhook_secret as sealed_experiment_secret, e.webhook_secret as plain_experiment_secret,
       o.sealed_secret as organization_secret, o.sealed_previous_secret as organization_previous_secret,
       o.previous_secret_until as organization_previous_until
     from taken t left join webhooks w on w.id = t.webhook_id left join experiments e on e.id = t.experiment_id
       left join lateral (select k.sealed_secret, k.sealed_previous_secret, k.previous_secret_until from webhooks k
         where k.organization_id = t.organization_id and k.sealed_secret is not null
         order by k.created_at, k.id limit 1) o on true
     order by t.position`,
    [
      now,
      leaseUntil,
      [...inHand.lanes.keys()],
      [...inHand.lanes.values()],
      batch,
      [...inHand.organizations.keys()],
      [...inHand.organizations.values()],
    ],
  );
  await insertAttempts(tx, claimed, now);
  return claimed;
}

async function insertAttempts(tx: Transaction, claimed: readonly ClaimedDelivery[], at: Date): Promise<void> {
  if (claimed.length === 0) return;
  await tx.query(
    ...insertMany('webhook_attempts', {
      delivery_id: createManyValues(
        'uuid',
        claimed.map(({ id }) => id),
      ),
      organization_id: createManyValues(
        'uuid',
        claimed.map((delivery) => delivery.organization_id),
      ),
      number: createManyValues(
        'int',
        claimed.map(({ attempts }) => attempts),
      ),
      url: createManyValues(
        'text',
        claimed.map(({ url }) => url ?? ''),
      ),
      began_at: at,
    }),
  );
}

export interface AttemptEnd {
  readonly deliveryId: string;
  readonly number: number;
  readonly durationMs: number;
  readonly statusCode: number | null;
  readonly outcome: string;
  readonly answer: string | null;
  /** Whose secrets signed it. */
  readonly signedWith: readonly Signer[];
}

/**
 * Records the end of an attempt and what follows. Answers false where the delivery is no longer in this attempt: its
 * lease ended, and another sender has it.
 */
export async function recordAttemptEnd(
  scope: Scope,
  tx: Transaction,
  end: AttemptEnd,
  next: { readonly status: 'waiting' | 'delivered' | 'failed'; readonly at: Date },
): Promise<boolean> {
  const isOver = next.status !== 'waiting';
  const rows = await tx.query<{ id: string }>(
    ...updateRows(
      'webhook_deliveries',
      {
        status: next.status,
        lease_until: null,
        last_outcome: end.outcome,
        ...(isOver ? { ended_at: next.at } : { next_at: next.at }),
      },
      `where ($1::uuid is null or organization_id = $1) and id = $2 and attempts = $3 and status = 'waiting'
       returning id`,
      [getOrganizationId(scope), end.deliveryId, end.number],
    ),
  );
  await tx.query(
    ...updateRows(
      'webhook_attempts',
      {
        duration_ms: end.durationMs,
        status_code: end.statusCode,
        outcome: end.outcome,
        answer: end.answer,
        signed_with: end.signedWith,
      },
      'where delivery_id = $1 and number = $2',
      [end.deliveryId, end.number],
    ),
  );
  return rows.length > 0;
}

/** Whether a delivery may be due: one of its lane or experiment can still keep it waiting. */
export async function hasDueDelivery(_lab: LabScope, sql: Sql, now: Date): Promise<boolean> {
  const rows = await sql.query<{ id: string }>(
    `select id from webhook_deliveries where status = 'waiting' and next_at <= $1 limit 1`,
    [now],
  );
  return rows.length > 0;
}

/** Gives deliveries the ids and places that their events got in the feed. */
export async function updateDeliveryPlaces(
  _lab: LabScope,
  tx: Transaction,
  places: readonly { readonly drawnId: string; readonly id: string; readonly sequence: number }[],
): Promise<void> {
  await tx.query(
    `update webhook_deliveries d set update_id = p.id, update_sequence = p.sequence
     from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as p (drawn_id, id, sequence)
     where d.update_id = p.drawn_id and d.update_sequence is null`,
    [
      places.map(({ drawnId }) => drawnId),
      places.map(({ id }) => id),
      places.map(({ sequence }) => sequence),
    ],
  );
}

/** Frees the deliveries of a sender that is known to be dead. Called at the start of the only process on a database. */
export async function releaseDeliveries(_lab: LabScope, sql: Sql): Promise<void> {
  await sql.query(
    `update webhook_deliveries set lease_until = null where status = 'waiting' and lease_until is not null`,
  );
}
