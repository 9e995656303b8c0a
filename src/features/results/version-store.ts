/** Statements over versions of results: each analysis adds versions, which replace the earlier ones in lists. */
import { writeWireTime } from '#core/list-page.ts';
import { getOrganizationId, type Scope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import type { Outcome } from './outcomes.ts';
import { writeAnalysis, writePlace, writeRows } from './shown-to-clients.ts';
import { writeVisible } from './visible.ts';

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
  readonly released_at: string | null;
  readonly superseded_at: string | null;
}

/** Versions of the result with this id that the scope may read, newest first. Any version's id will do. */
export function selectVersionsOfResult(scope: Scope, sql: Sql, resultId: string): Promise<VersionRow[]> {
  return sql.query<VersionRow>(
    `select r.id, r.version, r.status, r.outcome, r.record ->> 'sequence_name' as sequence_name,
       r.record -> 'analysis' -> 'engine' as engine, (${writeAnalysis(scope)}) -> 'settings' as settings,
       r.metadata ->> 'reason' as reason, ${writeWireTime('r.created_at')} as created_at,
       ${writeWireTime('r.released_at')} as released_at, ${writeWireTime('r.superseded_at')} as superseded_at
     from results r join results named on named.experiment_id = r.experiment_id and named.sequence_id = r.sequence_id
     where ${writeVisible(scope, 'named')} and named.id = $2 and ${writeVisible(scope)}
     order by r.version desc`,
    [getOrganizationId(scope), resultId],
  );
}

/** Selects the parts of a version that are compared: everything that the analysis decides. */
export async function selectComparableResult(scope: Scope, sql: Sql, resultId: string): Promise<unknown> {
  const rows = await sql.query<{ comparable: unknown }>(
    `select json_build_object('outcome', r.outcome, 'place', ${writePlace(scope)}, 'binding_score', r.binding_score,
       'n_replicates_passed', r.record -> 'n_replicates_passed',
       'excluded_replicates', coalesce(r.record -> 'excluded_replicates', '[]'), 'qc', (r.record -> 'qc') - 'details',
       'quantities', r.record -> 'quantities', 'summary', ${writeRows(scope)}, 'analysis', ${writeAnalysis(scope)}) as comparable
     from results r where ${writeVisible(scope)} and r.id = $2`,
    [getOrganizationId(scope), resultId],
  );
  return getFirst(rows)?.comparable;
}

/** Selects the settings with which a version was analyzed, as the wire has them; undefined without such a version. */
export async function selectSettingsOfVersion(
  scope: Scope,
  sql: Sql,
  of: { readonly experimentId: string; readonly version: number },
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const rows = await sql.query<{ settings: Readonly<Record<string, unknown>> }>(
    `select coalesce(record -> 'analysis' -> 'settings', '{}') as settings from results
     where ($1::uuid is null or organization_id = $1) and experiment_id = $2 and version = $3 limit 1`,
    [getOrganizationId(scope), of.experimentId, of.version],
  );
  return getFirst(rows)?.settings;
}

/** A replicate of a row of the results, as far as its place goes. */
export interface MeasuredReplicate {
  /** Id of its result, whose curves are those of all its replicates. */
  readonly resultId: string;
  readonly sequence: string;
  readonly plate: string | null;
  readonly replicate: number;
  readonly well: string | null;
}

/** Selects the replicates that count in a version of the results of the named sequences. */
export function selectMeasuredReplicates(
  scope: Scope,
  sql: Sql,
  of: { readonly experimentId: string; readonly version: number },
  sequenceNames: readonly string[],
): Promise<MeasuredReplicate[]> {
  return sql.query<MeasuredReplicate>(
    `select r.id as "resultId", r.record ->> 'sequence_name' as sequence, measured.item ->> 'plate' as plate,
       (measured.item ->> 'replicate')::int as replicate, measured.item ->> 'well' as well
     from results r cross join lateral jsonb_array_elements(coalesce(r.summary -> 0 -> 'replicates', '[]')) measured (item)
     where ($1::uuid is null or r.organization_id = $1) and r.experiment_id = $2 and r.version = $3
       and r.record ->> 'sequence_name' = any ($4::text[])`,
    [getOrganizationId(scope), of.experimentId, of.version, sequenceNames],
  );
}
