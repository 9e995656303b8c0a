/** Results of an experiment at a glance: counts, ranges and small pictures. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Output } from '#core/operation.ts';
import { RawJson } from '#core/reply.ts';
import { getOrganizationId, type Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type { getResultsOverview } from './contract.ts';
import { computeResultsDigest } from './package-store.ts';
import { BEST_FIRST, writePresent } from './shown-to-clients.ts';
import { findCurves } from './store.ts';
import { computeThumbnail } from './thumbnails.ts';

type Overview = Output<typeof getResultsOverview>;

interface OverviewRow {
  readonly outcome: string;
  readonly grade: string | null;
  readonly class: string | null;
  readonly flags: readonly string[] | null;
  readonly is_control: boolean | null;
  readonly kd_m: number | null;
  readonly excluded_kd_m: number | null;
}

/** Summarizes the current results that the scope sees. */
export async function summarizeResults(
  scope: Scope,
  sql: Sql,
  experimentId: string,
): Promise<Omit<Overview, 'experiment_code' | 'experiment_type' | 'results_status'>> {
  const { digest } = await computeResultsDigest(scope, sql, experimentId);
  const rows = await sql.query<OverviewRow>(
    `select r.outcome, r.grade, r.flags, r.class, r.is_control,
       (r.quantities #>> '{kd,value}')::float8 as kd_m,
       case when r.outcome = 'non_binder' then r.excluded_kd_m end as excluded_kd_m
     from results r where ${writePresent(scope)} and r.experiment_id = $2`,
    [getOrganizationId(scope), experimentId],
  );
  return {
    version: digest,
    total: rows.length,
    n_controls: rows.filter(({ is_control: isControl }) => isControl === true).length,
    outcomes: count(rows.map(({ outcome }) => outcome)),
    grades: count(rows.map(({ grade }) => grade)),
    classes: count(rows.map((row) => row.class)),
    flags: count(rows.flatMap(({ flags }) => [...new Set(flags)])),
    kd_m: findRange(rows.map(({ kd_m: kd }) => kd)),
    excluded_kd_m: findRange(rows.map(({ excluded_kd_m: excluded }) => excluded)),
  };
}

function count(names: readonly (string | null)[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function findRange(values: readonly (number | null)[]): { low: number; high: number } | null {
  const known = values.filter((value): value is number => value !== null && value > 0);
  return known.length === 0 ? null : { low: Math.min(...known), high: Math.max(...known) };
}

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
