/** What was changed a moment ago. */
import type { LabScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';

export interface RecentChange {
  readonly id: string;
  readonly operation_id: string;
  /** ISO 8601. */
  readonly created_at: string;
}

/** Selects the newest entries of some operations since a time, oldest first. */
export async function selectRecentChanges(
  _lab: LabScope,
  sql: Sql,
  { operations, since, limit }: { operations: readonly string[]; since: Date; limit: number },
): Promise<RecentChange[]> {
  const rows = await sql.query<RecentChange>(
    `select id, operation_id, created_at from audit_log
     where created_at >= $1 and operation_id = any($2) order by created_at desc, id desc limit $3`,
    [since, operations, limit],
  );
  return rows.toReversed();
}
