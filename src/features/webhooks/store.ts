/** Endpoints of organizations. */
import type { OrganizationScope } from '#core/scope.ts';
import { getExactlyOne, getFirst, type Sql, type Transaction } from '#core/sql.ts';
import type { WebhookFormat } from './rules.ts';
import { insertOwned, updateRows, type Columns } from '#core/write-rows.ts';

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly sealed_secret: string | null;
  readonly sealed_previous_secret: string | null;
  readonly previous_secret_until: string | null;
  readonly header_names: readonly string[];
  readonly sealed_headers: string;
  readonly event_types: readonly string[] | null;
  readonly format: WebhookFormat;
  readonly is_enabled: boolean;
  readonly disabled_reason: string | null;
  readonly disabled_at: string | null;
  readonly failing_since: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

const ROW = `id, url, sealed_secret, sealed_previous_secret, previous_secret_until, header_names, sealed_headers,
  event_types, format, is_enabled, disabled_reason, disabled_at, failing_since, created_at, updated_at`;

export function selectWebhooks(scope: OrganizationScope, sql: Sql): Promise<WebhookRow[]> {
  return sql.query<WebhookRow>(
    `select ${ROW} from webhooks where organization_id = $1 order by created_at, id`,
    [scope.organizationId],
  );
}

/** Finds an endpoint and holds it until the transaction ends; events may be written for it meanwhile. */
export async function lockWebhook(
  scope: OrganizationScope,
  tx: Transaction,
  id: string,
): Promise<WebhookRow | undefined> {
  return getFirst(
    await tx.query<WebhookRow>(
      `select ${ROW} from webhooks where organization_id = $1 and id = $2 for no key update`,
      [scope.organizationId, id],
    ),
  );
}

export async function findWebhook(
  scope: OrganizationScope,
  sql: Sql,
  id: string,
): Promise<WebhookRow | undefined> {
  return getFirst(
    await sql.query<WebhookRow>(`select ${ROW} from webhooks where organization_id = $1 and id = $2`, [
      scope.organizationId,
      id,
    ]),
  );
}

/** Counts endpoints; the organization is held, so that two registrations at once count one another. */
export async function countWebhooks(scope: OrganizationScope, tx: Transaction): Promise<number> {
  await tx.query('select id from organizations where id = $1 for no key update', [scope.organizationId]);
  const rows = await tx.query<{ n: number }>(
    'select count(*) as n from webhooks where organization_id = $1',
    [scope.organizationId],
  );
  return getExactlyOne(rows).n;
}

/** Columns to change, with their new values. */
export type WebhookChange = Columns<'webhooks'>;

export interface NewWebhook {
  readonly id: string;
  readonly url: string;
  readonly sealed_secret: string | null;
  readonly header_names: readonly string[];
  readonly sealed_headers: string;
  readonly event_types: readonly string[] | null;
  readonly format: WebhookFormat;
  readonly created_by: string;
  readonly at: Date;
}

export async function insertWebhook(
  scope: OrganizationScope,
  tx: Transaction,
  { at, ...webhook }: NewWebhook,
): Promise<WebhookRow> {
  return getExactlyOne(
    await tx.query<WebhookRow>(
      ...insertOwned(
        scope,
        'webhooks',
        {
          ...webhook,
          created_at: at,
          updated_at: at,
        },
        `returning ${ROW}`,
      ),
    ),
  );
}

export async function updateWebhookRow(
  scope: OrganizationScope,
  sql: Sql,
  id: string,
  change: WebhookChange,
): Promise<WebhookRow | undefined> {
  return getFirst(
    await sql.query<WebhookRow>(
      ...updateRows('webhooks', change, `where organization_id = $1 and id = $2 returning ${ROW}`, [
        scope.organizationId,
        id,
      ]),
    ),
  );
}

/** Deletes an endpoint with its deliveries; answers false where there is none. */
export async function deleteWebhookRow(
  scope: OrganizationScope,
  tx: Transaction,
  id: string,
): Promise<boolean> {
  const rows = await tx.query<{ id: string }>(
    'delete from webhooks where organization_id = $1 and id = $2 returning id',
    [scope.organizationId, id],
  );
  return rows.length > 0;
}

/** Ends the time since which an endpoint fails. */
export async function clearFailures(scope: OrganizationScope, sql: Sql, id: string): Promise<void> {
  await sql.query(
    `update webhooks set failing_since = null
     where organization_id = $1 and id = $2 and failing_since is not null`,
    [scope.organizationId, id],
  );
}
