/** What clients see of deliveries. */
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { FeedPlace } from './body.ts';
import type { WebhookFormat } from './rules.ts';
import type { Signer } from './sealed.ts';
import { getFirst, type Sql, type Transaction } from '#core/sql.ts';

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

export interface DeliveryRow {
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

export interface AttemptRow {
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

export interface DeliveryPeriod {
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
