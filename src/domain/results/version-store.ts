/** Statements over versions of results: each analysis adds versions, which replace the earlier ones in lists. */
import { writeWireTime } from '#core/list-page.ts';
import type { OrganizationScope, Scope } from '#core/scope.ts';
import { getOrganizationId } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import type { Outcome } from './outcomes.ts';

/** Whether the results of a requested analysis are stored already. */
export async function isAnalysisStored(
  scope: Scope,
  sql: Sql,
  of: { readonly experimentId: string; readonly analysisId: string },
): Promise<boolean> {
  const rows = await sql.query<{ id: string }>(
    `select id from results where ($1::uuid is null or organization_id = $1) and experiment_id = $2 and analysis_id = $3
     limit 1`,
    [getOrganizationId(scope), of.experimentId, of.analysisId],
  );
  return getFirst(rows) !== undefined;
}

/** Releases one version as an amendment of the versions released before it. */
export async function amendResults(
  scope: Scope,
  sql: Sql,
  of: { readonly experimentId: string; readonly version: number },
  at: Date,
): Promise<void> {
  const values = [getOrganizationId(scope), of.experimentId, of.version, at];
  await sql.query(
    `update results set superseded_at = $4, updated_at = $4
     where ($1::uuid is null or organization_id = $1) and experiment_id = $2 and version < $3
       and released_at is not null and superseded_at is null`,
    values,
  );
  await sql.query(
    `update results set status = 'amended', released_at = $4, updated_at = $4
     where ($1::uuid is null or organization_id = $1) and experiment_id = $2 and version = $3`,
    values,
  );
}

export interface VersionRow {
  readonly id: string;
  readonly version: number;
  readonly status: 'preliminary' | 'final' | 'amended' | 'withdrawn';
  readonly outcome: Outcome;
  readonly sequence_name: string;
  readonly engine: Record<string, unknown>;
  readonly settings: Record<string, unknown>;
  readonly reason: string | null;
  readonly created_at: string;
  readonly released_at: string;
  readonly superseded_at: string | null;
}

/** Released versions of the result with this id, newest first. Any version's id will do. */
export function selectVersionsOfResult(
  scope: OrganizationScope,
  sql: Sql,
  resultId: string,
): Promise<VersionRow[]> {
  return sql.query<VersionRow>(
    `select r.id, r.version, r.status, r.outcome, r.record ->> 'sequence_name' as sequence_name,
       r.record -> 'analysis' -> 'engine' as engine, r.record -> 'analysis' -> 'settings' as settings,
       r.metadata ->> 'reason' as reason, ${writeWireTime('r.created_at')} as created_at,
       ${writeWireTime('r.released_at')} as released_at, ${writeWireTime('r.superseded_at')} as superseded_at
     from results r join results named on named.experiment_id = r.experiment_id and named.sequence_id = r.sequence_id
     where named.organization_id = $1 and named.id = $2 and named.released_at is not null
       and r.organization_id = $1 and r.released_at is not null
     order by r.version desc`,
    [scope.organizationId, resultId],
  );
}

/** Selects the parts of a version that are compared: everything that the analysis decides. */
export async function selectComparableResult(
  scope: OrganizationScope,
  sql: Sql,
  resultId: string,
): Promise<unknown> {
  const rows = await sql.query<{ comparable: unknown }>(
    `select json_build_object('outcome', r.outcome, 'place', r.record -> 'place', 'binding_score', r.binding_score,
       'n_replicates_passed', r.record -> 'n_replicates_passed', 'qc', (r.record -> 'qc') - 'details',
       'quantities', r.record -> 'quantities', 'summary', r.summary, 'analysis', r.record -> 'analysis') as comparable
     from results r where r.organization_id = $1 and r.id = $2 and r.released_at is not null`,
    [scope.organizationId, resultId],
  );
  return getFirst(rows)?.comparable;
}
