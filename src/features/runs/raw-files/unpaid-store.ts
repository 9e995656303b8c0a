/** Who allowed the run of an experiment before its payment, and why. */
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { insertInto } from '#core/write-rows.ts';

export interface UnpaidRelease {
  readonly experimentId: string;
  readonly reason: string;
  readonly releasedBy: string;
  readonly at: Date;
}

export async function putUnpaidRelease(
  scope: OrganizationScope,
  sql: Sql,
  { experimentId, reason, releasedBy, at }: UnpaidRelease,
): Promise<void> {
  await sql.query(
    ...insertInto(
      'unpaid_releases',
      {
        organization_id: scope.organizationId,
        experiment_id: experimentId,
        reason,
        released_by: releasedBy,
        created_at: at,
      },
      `on conflict (experiment_id) do update set reason = excluded.reason, released_by = excluded.released_by,
         created_at = excluded.created_at where unpaid_releases.organization_id = excluded.organization_id`,
    ),
  );
}

/** Why the experiment may start before its payment; null where nobody allowed it. */
export async function findUnpaidReason(scope: Scope, sql: Sql, experimentId: string): Promise<string | null> {
  const rows = await sql.query<{ reason: string }>(
    'select reason from unpaid_releases where ($1::uuid is null or organization_id = $1) and experiment_id = $2',
    [getOrganizationId(scope), experimentId],
  );
  return getFirst(rows)?.reason ?? null;
}
