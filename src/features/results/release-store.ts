/** Versions of results: each analysis adds some, which are released or discarded. */
import { compileList, type ListQuery } from '#core/filter/index.ts';
import { computePlaces } from '#core/ranking.ts';
import { getOrganizationId, type Scope } from '#core/scope.ts';
import type { NamedOrderCounts } from './against-order.ts';
import { getExactlyOne, getFirst, type Sql } from '#core/sql.ts';
import { writeWireTime } from '#core/list-page.ts';
import type { Outcome } from './outcomes.ts';
import { writeAnalysis, writePlace, writePresent, writeRows, writeVisible } from './shown-to-clients.ts';

/** Finds the newest version of the results; 0 before the first analysis. */
export async function selectLatestVersion(scope: Scope, sql: Sql, experimentId: string): Promise<number> {
  return selectNewestVersion(scope, sql, experimentId, 'true');
}

/** Finds the newest version that was not discarded; 0 before the first analysis. */
export async function selectPresentVersion(scope: Scope, sql: Sql, experimentId: string): Promise<number> {
  return selectNewestVersion(scope, sql, experimentId, "status <> 'withdrawn'");
}

/** Finds the newest version with a released result; 0 without one. */
export async function selectReleasedVersion(scope: Scope, sql: Sql, experimentId: string): Promise<number> {
  return selectNewestVersion(scope, sql, experimentId, 'released_at is not null');
}

async function selectNewestVersion(
  scope: Scope,
  sql: Sql,
  experimentId: string,
  condition: string,
): Promise<number> {
  const rows = await sql.query<{ version: number }>(
    `select coalesce(max(version), 0) as version from results
     where ($1::uuid is null or organization_id = $1) and experiment_id = $2 and ${condition}`,
    [getOrganizationId(scope), experimentId],
  );
  return getFirst(rows)?.version ?? 0;
}

/** One version of the results of an experiment. */
export interface VersionOf {
  readonly experimentId: string;
  readonly version: number;
}

/** Everything that a reader of a result sees, but for its version and how it was analyzed. */
const SHOWN = (alias: string) =>
  `(${alias}.outcome, ${alias}.binding_score, ${alias}.summary, ${alias}.record - 'analysis')`;

/**
 * Releases results of a version: all, or those of the named sequences. A result that is released already gets the new
 * version where something differs, as an amendment, and stays otherwise. Returns the ids of those released.
 */
export async function releaseVersion(
  scope: Scope,
  sql: Sql,
  { experimentId, version }: VersionOf,
  sequenceNames: readonly string[] | null,
  at: Date,
): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `with chosen as (
       select r.id, old.id as old_id from results r
       left join results old on old.experiment_id = r.experiment_id and old.sequence_id = r.sequence_id
         and old.released_at is not null and old.superseded_at is null
       where ($1::uuid is null or r.organization_id = $1) and r.experiment_id = $2 and r.version = $3
         and r.released_at is null and ($4::text[] is null or r.record ->> 'sequence_name' = any ($4))
         and (old.id is null or ${SHOWN('old')} is distinct from ${SHOWN('r')})),
     replaced as (
       update results old set superseded_at = $5, updated_at = $5 from chosen where old.id = chosen.old_id)
     update results r set status = case when chosen.old_id is null then 'final' else 'amended' end,
       released_at = $5, updated_at = $5
     from chosen where r.id = chosen.id returning r.id`,
    [getOrganizationId(scope), experimentId, version, sequenceNames, at],
  );
  await rankReleased(scope, sql, experimentId);
  return rows.map(({ id }) => id);
}

/** Ranks the present results of clients among themselves. A result that is replaced keeps the rank that it had. */
async function rankReleased(scope: Scope, sql: Sql, experimentId: string): Promise<void> {
  const ranked = await sql.query<{ id: string; best: number; worst: number }>(
    `select id, rank_best as best, rank_worst as worst from results
     where ($1::uuid is null or organization_id = $1) and experiment_id = $2 and released_at is not null
       and superseded_at is null and rank_best is not null`,
    [getOrganizationId(scope), experimentId],
  );
  await sql.query(
    `update results r set released_place = ranked.place
     from unnest($3::uuid[], $4::int[]) as ranked (id, place)
     where ($1::uuid is null or r.organization_id = $1) and r.experiment_id = $2 and r.id = ranked.id
       and r.released_place is distinct from ranked.place`,
    [getOrganizationId(scope), experimentId, ranked.map(({ id }) => id), computePlaces(ranked)],
  );
}

export interface ReleaseState {
  readonly name: string;
  /** Whether the raw files call it a control, to which other results refer. */
  readonly isControl: boolean;
  readonly isReleased: boolean;
  /** Whether clients read what this version says of it. */
  readonly isShown: boolean;
}

/** Lists the names of the sequences of a version, and which of them have a released result of any version. */
export async function selectReleaseState(
  scope: Scope,
  sql: Sql,
  { experimentId, version }: VersionOf,
): Promise<ReleaseState[]> {
  return sql.query<ReleaseState>(
    `select r.record ->> 'sequence_name' as name, r.record ->> 'control_role' is not null as "isControl", exists (select 1 from results old
       where old.experiment_id = r.experiment_id and old.sequence_id = r.sequence_id
         and old.released_at is not null) as "isReleased",
       exists (select 1 from results old
         where old.experiment_id = r.experiment_id and old.sequence_id = r.sequence_id
           and old.released_at is not null and old.superseded_at is null
           and ${SHOWN('old')} is not distinct from ${SHOWN('r')}) as "isShown"
     from results r
     where ($1::uuid is null or r.organization_id = $1) and r.experiment_id = $2 and r.version = $3
     order by r.record ->> 'sequence_name'`,
    [getOrganizationId(scope), experimentId, version],
  );
}

/** What a result of a version says it lacks: the counts of its flags, which leave aside what people left out. */
interface MeasuredRow {
  readonly name: string;
  readonly ordered: number | null;
  readonly planned: number | null;
  readonly replicates: number | null;
  readonly curves: number | null;
}

const FLAGGED = (code: string) =>
  `(select (flag ->> 'value')::int from jsonb_array_elements(coalesce(r.record #> '{qc,details}', '[]')) flag
    where flag ->> 'code' = '${code}' limit 1)`;

/** Counts what each sequence of a version has of its order; a record from before such counts lacks nothing. */
export async function selectOrderCounts(
  scope: Scope,
  sql: Sql,
  { experimentId, version }: VersionOf,
): Promise<NamedOrderCounts[]> {
  const rows = await sql.query<MeasuredRow>(
    `select r.record ->> 'sequence_name' as name, (r.record ->> 'n_replicates_ordered')::int as ordered,
       (r.record ->> 'n_curves_planned')::int as planned, ${FLAGGED('REPLICATES_MISSING')} as replicates,
       ${FLAGGED('CURVES_MISSING')} as curves
     from results r
     where ($1::uuid is null or r.organization_id = $1) and r.experiment_id = $2 and r.version = $3`,
    [getOrganizationId(scope), experimentId, version],
  );
  return rows.map(({ name, ordered, planned, replicates, curves }) => ({
    name,
    n_replicates_ordered: ordered ?? 0,
    n_replicates: replicates ?? ordered ?? 0,
    n_curves_planned: planned,
    n_curves: curves ?? planned,
  }));
}

/**
 * Releases all results of a version in place of those of earlier versions, with the reason that clients read. Returns
 * the ids of the results.
 */
export async function releaseAmendedVersion(
  scope: Scope,
  sql: Sql,
  { experimentId, version }: VersionOf,
  { reason, at }: { readonly reason: string; readonly at: Date },
): Promise<string[]> {
  await sql.query(
    `update results set superseded_at = $4, updated_at = $4
     where ($1::uuid is null or organization_id = $1) and experiment_id = $2 and version < $3
       and released_at is not null and superseded_at is null`,
    [getOrganizationId(scope), experimentId, version, at],
  );
  const rows = await sql.query<{ id: string }>(
    `update results set status = 'amended', released_at = $4, updated_at = $4,
       metadata = metadata || jsonb_build_object('reason', $5::text)
     where ($1::uuid is null or organization_id = $1) and experiment_id = $2 and version = $3 returning id`,
    [getOrganizationId(scope), experimentId, version, at, reason],
  );
  await rankReleased(scope, sql, experimentId);
  return rows.map(({ id }) => id);
}

/** Discards every version after `version` that is not released. Its rows stay, and nobody is shown them. */
export async function discardVersionsAfter(
  scope: Scope,
  sql: Sql,
  { experimentId, version }: VersionOf,
  at: Date,
): Promise<number> {
  const rows = await sql.query<{ count: number }>(
    `with gone as (update results set status = 'withdrawn', updated_at = $4
       where ($1::uuid is null or organization_id = $1) and experiment_id = $2 and version > $3
         and released_at is null and status <> 'withdrawn' returning version)
     select count(distinct version)::int as count from gone`,
    [getOrganizationId(scope), experimentId, version, at],
  );
  return getExactlyOne(rows).count;
}

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

interface VersionRow {
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

interface Neighbor {
  readonly id: string;
  readonly sequence_name: string;
  readonly place: number | null;
  readonly outcome: Outcome;
}

interface Neighbors {
  /** Null where the list does not have the result. */
  readonly position: number | null;
  readonly total: number;
  readonly previous: Neighbor | null;
  readonly next: Neighbor | null;
}

/** Finds what stands before and after the current version of a result in this list of its experiment. */
export async function findNeighbors(
  scope: Scope,
  sql: Sql,
  resultId: string,
  query: ListQuery,
): Promise<Neighbors | undefined> {
  const list = compileList(query, { firstParameter: 3 });
  const rows = await sql.query<Neighbors>(
    `with listed as (
       select r.sequence_id, row_number() over best as position,
         json_build_object('id', r.id, 'sequence_name', s.name, 'place', ${writePlace(scope)}, 'outcome', r.outcome) as item
       from results r join sequences s on s.id = r.sequence_id
       join results named on named.experiment_id = r.experiment_id
       where ${writePresent(scope)} and ${writeVisible(scope, 'named')} and named.id = $2 and ${list.where}
       window best as (order by ${list.orderBy}))
     select at.position::int as position, (select count(*) from listed)::int as total, before.item as previous,
       after.item as next
     from results own left join listed at on at.sequence_id = own.sequence_id
     left join listed before on before.position = at.position - 1
     left join listed after on after.position = at.position + 1
     where ${writeVisible(scope, 'own')} and own.id = $2`,
    [getOrganizationId(scope), resultId, ...list.orderValues],
  );
  return getFirst(rows);
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
interface MeasuredReplicate {
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
