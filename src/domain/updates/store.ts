import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/raw-json.ts';
import type { OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';
import type { UpdateType } from './types.ts';

export interface NewUpdate {
  readonly id: string;
  readonly experimentId: string;
  readonly experimentCode: string;
  readonly type: UpdateType;
  readonly name: string;
  readonly description?: string | null;
  readonly previousStatus?: string | null;
  readonly status?: string | null;
  readonly createdAt: Date;
}

/** Adds an update to the feed of the organization that owns the experiment. */
export async function insertUpdate(scope: OrganizationScope, sql: Sql, update: NewUpdate): Promise<void> {
  await sql.query(
    ...insertInto('updates', {
      id: update.id,
      organization_id: scope.organizationId,
      experiment_id: update.experimentId,
      experiment_code: update.experimentCode,
      type: update.type,
      name: update.name,
      description: update.description ?? null,
      previous_status: update.previousStatus ?? null,
      status: update.status ?? null,
      created_at: update.createdAt,
    }),
  );
}

const ITEM = `u.id, u.experiment_id, u.experiment_code, u.name, u.description, u.type, u.previous_status, u.status,
  ${writeWireTime('u.created_at')} as timestamp`;

/** Lists the updates of one experiment, or of the whole organization when `experimentId` is null. */
/** Returns when the feed of an experiment first had an update of this name, ISO 8601; undefined if it had none. */
export async function findUpdateTime(
  scope: OrganizationScope,
  sql: Sql,
  update: { readonly experimentId: string; readonly name: string },
): Promise<string | undefined> {
  const rows = await sql.query<{ created_at: string }>(
    `select created_at from updates where organization_id = $1 and experiment_id = $2 and name = $3
     order by created_at limit 1`,
    [scope.organizationId, update.experimentId, update.name],
  );
  return getFirst(rows)?.created_at;
}

export function listUpdatePage(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
  experimentId: string | null,
): Promise<RawJson> {
  const limited = experimentId !== null;
  return listPage(
    sql,
    {
      item: ITEM,
      from: 'updates u',
      alias: 'u',
      where: `u.organization_id = $1${limited ? ' and u.experiment_id = $2' : ''}`,
      values: limited ? [scope.organizationId, experimentId] : [scope.organizationId],
    },
    query,
  );
}
