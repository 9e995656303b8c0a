/**
 * Which versions of results a query may show. The scope decides: a client reads what was released, and the lab also
 * what waits for review. Each condition uses the scope's organization as `$1`.
 */
import type { Scope } from '#core/scope.ts';

/** Any version: of a client every released one, of the lab every one that was not discarded. */
export function writeVisible({ kind }: Scope, alias = 'r'): string {
  return kind === 'organization'
    ? `${alias}.organization_id = $1 and ${alias}.released_at is not null`
    : `$1::uuid is null and ${alias}.status <> 'withdrawn'`;
}

/** The current version: of a client the last released one, of the lab the newest one, whether released or not. */
export function writePresent(scope: Scope, alias = 'r'): string {
  const newest =
    scope.kind === 'organization'
      ? `${alias}.superseded_at is null`
      : `not exists (select 1 from results newer where newer.experiment_id = ${alias}.experiment_id
           and newer.version > ${alias}.version and newer.status <> 'withdrawn')`;
  return `${writeVisible(scope, alias)} and ${newest}`;
}
