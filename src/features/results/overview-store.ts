/** Results of an experiment at a glance: counts, ranges and small pictures. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Output } from '#core/operation.ts';
import { RawJson } from '#core/reply.ts';
import { getOrganizationId, type Scope } from '#core/scope.ts';
import { getExactlyOne, type Sql } from '#core/sql.ts';
import type { getResultsOverview } from './contract.ts';
import { VALUES_MAX, type Highlights } from './highlights-contract.ts';
import { BEST_FIRST, SEQUENCE_NAME, writeDetails, writePresent, writeRows } from './shown-to-clients.ts';
import { findCurves } from './store.ts';
import { computeThumbnail } from './thumbnails.ts';

type Overview = Output<typeof getResultsOverview>;

type Range = Overview['kd_m'];

interface OverviewRow {
  readonly total: number;
  readonly n_controls: number;
  readonly changed_at: Date | string | null;
  readonly outcomes: Record<string, number>;
  readonly grades: Record<string, number>;
  readonly classes: Record<string, number>;
  readonly flags: Record<string, number>;
  readonly kd_m: Range;
  readonly excluded_kd_m: Range;
}

const count = (name: string, from = 'present'): string =>
  `(select coalesce(jsonb_object_agg(name, n), '{}')
    from (select ${name} as name, count(*)::int as n from ${from} where ${name} is not null group by 1 order by 1) counted)`;

const findRange = (name: string): string =>
  `(select case when count(*) > 0 then json_build_object('low', min(${name}), 'high', max(${name})) end
    from present where ${name} > 0)`;

/**
 * Summarizes the current results that the scope sees, in the database, because an experiment may have a thousand. Every
 * change of a result makes its time the newest of all, or changes their number.
 */
export async function summarizeResults(
  scope: Scope,
  sql: Sql,
  experimentId: string,
): Promise<Omit<Overview, 'experiment_code' | 'experiment_type' | 'results_status'>> {
  const rows = await sql.query<OverviewRow>(
    `with present as materialized (select r.outcome, r.grade, r.class, r.flags, r.is_control, r.updated_at,
       (r.quantities #>> '{kd,value}')::float8 as kd_m,
       case when r.outcome = 'non_binder' then r.excluded_kd_m end as excluded_kd_m
     from results r where ${writePresent(scope)} and r.experiment_id = $2),
     flagged as (select distinct p.at, flag.name from (select row_number() over () as at, flags from present) p,
       jsonb_array_elements_text(p.flags) flag (name))
     select count(*)::int as total, (count(*) filter (where is_control))::int as n_controls,
       max(updated_at) as changed_at, ${count('outcome')} as outcomes, ${count('grade')} as grades,
       ${count('class')} as classes, ${count('name', 'flagged')} as flags, ${findRange('kd_m')} as kd_m,
       ${findRange('excluded_kd_m')} as excluded_kd_m
     from present`,
    [getOrganizationId(scope), experimentId],
  );
  const { changed_at: changedAt, ...overview } = getExactlyOne(rows);
  const time = changedAt === null ? 0 : new Date(changedAt).getTime();
  return { version: `${overview.total}-${time}`, ...overview };
}

/** Selects what an overview shows of experiments that ids or codes name; those without a result are left out. */
export async function selectHighlights(
  scope: Scope,
  sql: Sql,
  idsOrCodes: readonly string[],
): Promise<Highlights[]> {
  return sql.query<Highlights>(
    `select e.id as experiment_id, e.code as experiment_code, e.experiment_type, counted.n_results, counted.n_measured,
       counted.kd_m[1:${VALUES_MAX}] as kd_m, best.result as best
     from experiments e
     cross join lateral (select count(*)::int as n_results,
         (count(*) filter (where r.outcome = 'measured'))::int as n_measured,
         coalesce(array_agg(${KD_M} order by ${KD_M}) filter (where ${KD_M} > 0 and not ${IS_CONTROL}), '{}') as kd_m
       from results r where ${writePresent(scope)} and r.experiment_id = e.id) counted
     left join lateral (select json_build_object('id', r.id, 'sequence_name', ${SEQUENCE_NAME}, 'outcome', r.outcome,
         'assessment', r.record -> 'assessment', 'quantities', coalesce(r.quantities, '{}'),
         'flags', coalesce(r.flags, '[]'), 'row', (${writeRows(scope)}) -> 0, 'details', ${writeDetails(scope)}) as result
       from results r where ${writePresent(scope)} and r.experiment_id = e.id and not ${IS_CONTROL}
         and r.rank_best is not null
       order by ${BEST_FIRST} limit 1) best on true
     where ($1::uuid is null or e.organization_id = $1) and counted.n_results > 0
       and (e.code = any($2) or e.id::text = any($2))
     order by e.code`,
    [getOrganizationId(scope), idsOrCodes],
  );
}

const KD_M = `(r.quantities #>> '{kd,value}')::float8`;
const IS_CONTROL = 'coalesce(r.is_control, false)';

/** Lists the small pictures of the current results that the scope sees, best first. */
export async function listThumbnails(scope: Scope, sql: Sql, experimentId: string): Promise<RawJson> {
  const rows = await sql.query<{ id: string; thumbnail: string | null }>(
    `select r.id, c.thumbnail from results r join result_curves c on c.result_id = r.id
     where ${writePresent(scope)} and r.experiment_id = $2 order by ${BEST_FIRST}`,
    [getOrganizationId(scope), experimentId],
  );
  const items: string[] = [];
  for (const { id, thumbnail } of rows)
    items.push(`{"result_id":"${id}",${(thumbnail ?? (await drawAnew(scope, sql, id))).slice(1)}`);
  return new RawJson(`{"items":[${items.join(',')}]}`);
}

/** A result from before there were thumbnails; unpacking takes a while, so others get a turn between two. */
async function drawAnew(scope: Scope, sql: Sql, id: string): Promise<string> {
  await nextTurn();
  const found = await findCurves(scope, sql, id);
  return JSON.stringify(computeThumbnail(found?.signal_unit ?? '', found?.curves ?? []));
}
