/** What is to be sent, and each attempt to send it. */
import { getOrganizationId, type LabScope, type OrganizationScope, type Scope } from '#core/scope.ts';
import { type Sql, type Transaction, getFirst } from '#core/sql.ts';
import { insertOwned, updateRows } from '#core/write-rows.ts';
import type { Signer } from './sealed.ts';
import { STATUS_CHANGED, type WebhookFormat } from './rules.ts';
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import type { FeedPlace } from './body.ts';

/**
 * A delivery that waits, of which the id is known. Written so that no index of what waits fits: a plan made while
 * nothing waits would read such an index as a whole, and be kept when thousands wait.
 */
export const NOT_OVER = `status not in ('delivered', 'failed')`;

/** An event as it is delivered. */
interface EventToDeliver {
  readonly update_id: string;
  readonly event_type: string;
  readonly experiment_id: string;
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
    [scope.organizationId, event.experiment_id, event.update_id, event.event_type, event.body, event.at],
  );
}

interface TestDelivery {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_type: string;
  readonly body: string;
  readonly at: Date;
}

export async function insertTestDelivery(
  scope: OrganizationScope,
  tx: Transaction,
  { at, ...delivery }: TestDelivery,
): Promise<void> {
  await tx.query(
    ...insertOwned(scope, 'webhook_deliveries', {
      ...delivery,
      lane: delivery.webhook_id,
      status: 'waiting',
      next_at: at,
      created_at: at,
    }),
  );
}

interface AttemptEnd {
  readonly delivery_id: string;
  readonly number: number;
  readonly duration_ms: number;
  readonly status_code: number | null;
  readonly outcome: string;
  readonly answer: string | null;
  /** Whose secrets signed it. */
  readonly signed_with: readonly Signer[];
}

/**
 * Records the end of an attempt and what follows. Answers false where the delivery is no longer in this attempt: its
 * lease ended, and another sender has it.
 */
export async function recordAttemptEnd(
  scope: Scope,
  tx: Transaction,
  { delivery_id: id, number, ...end }: AttemptEnd,
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
        ...(isOver ? { ended_at: next.at } : { next_at: next.at, is_due: false }),
      },
      `where ($1::uuid is null or organization_id = $1) and id = $2 and attempts = $3 and ${NOT_OVER}
       returning id`,
      [getOrganizationId(scope), id, number],
    ),
  );
  await tx.query(
    ...updateRows(
      'webhook_attempts',
      {
        ...end,
      },
      'where delivery_id = $1 and number = $2',
      [id, number],
    ),
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

/** What clients see of deliveries. */

const ITEM = `d.id, d.webhook_id, d.experiment_id, d.event_type, d.status, d.attempts, d.last_outcome,
  case when d.status = 'waiting' then ${writeWireTime('d.next_at')} end as next_at,
  ${writeWireTime('d.created_at')} as created_at, ${writeWireTime('d.ended_at')} as ended_at`;

/** Lists the deliveries of one endpoint, or of the organization when `webhookId` is null. */
export function listDeliveryPage(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
  webhookId: string | null,
): Promise<RawJson> {
  const isLimited = webhookId !== null;
  return listPage(
    sql,
    {
      item: ITEM,
      from: 'webhook_deliveries d',
      alias: 'd',
      where: `d.organization_id = $1${isLimited ? ' and d.webhook_id = $2' : ''}`,
      values: isLimited ? [scope.organizationId, webhookId] : [scope.organizationId],
    },
    query,
  );
}

interface DeliveryRow {
  readonly id: string;
  readonly webhook_id: string | null;
  readonly experiment_id: string | null;
  readonly event_type: string;
  readonly status: 'waiting' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly last_outcome: string | null;
  readonly next_at: string | null;
  readonly created_at: string;
  readonly ended_at: string | null;
}

export async function findDelivery(
  scope: OrganizationScope,
  sql: Sql,
  id: string,
): Promise<DeliveryRow | undefined> {
  return getFirst(
    await sql.query<DeliveryRow>(
      `select ${ITEM} from webhook_deliveries d where d.organization_id = $1 and d.id = $2`,
      [scope.organizationId, id],
    ),
  );
}

interface DeliveryBody extends FeedPlace {
  readonly body: string;
  /** Null for the address of an experiment. */
  readonly format: WebhookFormat | null;
}

/** Selects the body of a delivery, without its own id. */
export async function findDeliveryBody(
  scope: OrganizationScope,
  sql: Sql,
  id: string,
): Promise<DeliveryBody | undefined> {
  const rows = await sql.query<DeliveryBody>(
    `select d.body, d.update_id, d.update_sequence, w.format from webhook_deliveries d
     left join webhooks w on w.id = d.webhook_id where d.organization_id = $1 and d.id = $2`,
    [scope.organizationId, id],
  );
  return getFirst(rows);
}

interface AttemptRow {
  readonly number: number;
  readonly url: string;
  readonly began_at: string;
  readonly duration_ms: number | null;
  readonly status_code: number | null;
  readonly outcome: string | null;
  readonly answer: string | null;
  readonly signed_with: Signer[] | null;
}

const ATTEMPTS_SHOWN_MAX = 50;

/** Selects the newest attempts of a delivery, oldest first. */
export function selectAttempts(
  scope: OrganizationScope,
  sql: Sql,
  deliveryId: string,
): Promise<AttemptRow[]> {
  return sql.query<AttemptRow>(
    `select * from (
       select number, url, began_at, duration_ms, status_code, outcome, answer, signed_with from webhook_attempts
       where organization_id = $1 and delivery_id = $2 order by number desc limit ${ATTEMPTS_SHOWN_MAX}
     ) newest order by number`,
    [scope.organizationId, deliveryId],
  );
}

const RESET = `status = 'waiting', is_due = true, scheduled_attempts = 0, ended_at = null, lease_until = null`;

/** Makes a delivery due again; one that is being sent stays in hand. Undefined where there is none. */
export async function resetDelivery(
  scope: OrganizationScope,
  tx: Transaction,
  id: string,
  at: Date,
): Promise<DeliveryRow | undefined> {
  await tx.query(
    `update webhook_deliveries set ${RESET}, next_at = $3
     where organization_id = $1 and id = $2 and (lease_until is null or lease_until <= $3)`,
    [scope.organizationId, id, at],
  );
  return findDelivery(scope, tx, id);
}

interface DeliveryPeriod {
  readonly webhookId: string;
  readonly since: string;
  readonly until: string;
  readonly onlyFailed: boolean;
}

/**
 * Makes the deliveries of a period due again and returns their number. With `onlyFailed: false` those that wait for
 * their next attempt are among them; one that is being sent stays in hand.
 */
export async function resetDeliveries(
  scope: OrganizationScope,
  tx: Transaction,
  { webhookId, since, until, onlyFailed }: DeliveryPeriod,
  at: Date,
): Promise<number> {
  const rows = await tx.query<{ id: string }>(
    `update webhook_deliveries set ${RESET}, next_at = $5
     where organization_id = $1 and webhook_id = $2 and created_at >= $3 and created_at <= $4
       and (status = 'failed' or (not $6 and (status = 'delivered'
         or (status = 'waiting' and attempts > 0 and (lease_until is null or lease_until <= $5)))))
     returning id`,
    [scope.organizationId, webhookId, since, until, at, onlyFailed],
  );
  return rows.length;
}
