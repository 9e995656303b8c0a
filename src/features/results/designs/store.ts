import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import type { OrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type { Grade } from '../assessment.ts';
import type { Outcome } from '../outcomes.ts';
import { BEST_FIRST, writePlace, writePresent, writeRows } from '../shown-to-clients.ts';
import type { ShownQuantity } from '../store.ts';
import { designsList, MEASUREMENTS_MAX } from './contract.ts';

/** A design that a sequence was asked for, and how far it is away. */
export interface NearDesign {
  readonly id: string;
  readonly distance: number;
}

interface Wanted {
  /** Only what belongs to this experiment; null for all of the organization. */
  readonly experimentId: string | null;
  /** Only these; null for all. */
  readonly near: readonly NearDesign[] | null;
}

/** `$1` is the organization and `$2` the experiment, or null. */
const isWithin = (alias: string): string =>
  `${alias}.organization_id = $1 and ($2::uuid is null or ${alias}.experiment_id = $2)`;

/** The first of the sequences with equal amino acids stands for all of them. */
const IS_FIRST = `${isWithin('s')} and not exists (select 1 from sequences o where ${isWithin('o')}
  and o.aa_md5 = s.aa_md5 and (o.created_at, o.id) < (s.created_at, s.id))`;

const readValue = (quantity: string): string => `(r.quantities #>> '{${quantity},value}')::float8`;

const BEST = `count(*)::int as measurement_count,
  min(${readValue('kd')}) filter (where r.quantities #>> '{kd,relation}' is distinct from '>') as kd_m,
  max(${readValue('tm')}) as tm_c`;

/** For the rows of a page, and, where conditions or orders need it, for all designs at once. */
function listJoins(scope: OrganizationScope) {
  const results = `from sequences o join results r on r.sequence_id = o.id and ${writePresent(scope)} where ${isWithin('o')}`;
  const ownResults = `${results} and o.aa_md5 = s.aa_md5`;
  return [
    {
      alias: 'every',
      sql: `join (select o.aa_md5, string_agg(o.name, ' ') as names, bool_or(o.is_control) as is_control
        from sequences o where ${isWithin('o')} group by o.aa_md5) every on every.aa_md5 = s.aa_md5`,
    },
    {
      alias: 'best',
      sql: `left join (select o.aa_md5, ${BEST} ${results} group by o.aa_md5) best on best.aa_md5 = s.aa_md5`,
    },
    {
      alias: 'n',
      sql: `cross join lateral (select array_agg(distinct o.name order by o.name) as names, bool_or(o.is_control) as is_control,
        count(distinct o.experiment_id)::int as experiment_count from sequences o
        where ${isWithin('o')} and o.aa_md5 = s.aa_md5) n`,
    },
    { alias: 'b', sql: `cross join lateral (select ${BEST} ${ownResults}) b` },
    {
      alias: 'm',
      sql: `cross join lateral (select coalesce(jsonb_agg(to_jsonb(one) order by one.released_at desc, one.result_id), '[]') as measurements
        from (select r.id as result_id, r.experiment_id, r.experiment_code, r.experiment_type, r.target_id,
          (select t.name from targets t where t.id = r.target_id) as target_name, o.name as sequence_name, r.outcome,
          r.grade, coalesce(r.quantities, '{}') as quantities,
          case when r.outcome = 'non_binder' then r.excluded_kd_m end as excluded_kd_m,
          ${writeWireTime('r.released_at')} as released_at
          ${ownResults} order by r.released_at desc, r.id limit ${MEASUREMENTS_MAX}) one) m`,
    },
  ];
}

const NEAR = 'unnest($3::uuid[], $4::int[]) near (id, distance) on near.id = s.id';

/** Lists designs, each with the results that the scope may read. */
export function listDesignPage(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
  { experimentId, near }: Wanted,
): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: designsList.columns,
      from: 'sequences s',
      alias: 's',
      joins: [
        { alias: 'near', sql: near === null ? `left join ${NEAR}` : `join ${NEAR}` },
        ...listJoins(scope),
      ],
      where: `${IS_FIRST} and $3::uuid[] is not null and $4::int[] is not null${near === null ? '' : ' and near.id is not null'}`,
      values: [
        scope.organizationId,
        experimentId,
        (near ?? []).map(({ id }) => id),
        (near ?? []).map(({ distance }) => distance),
      ],
    },
    query,
  );
}

/** Selects the sequences whose length is within a range, with their amino acids; equal ones each. */
export function selectSequencesOfLength(
  scope: OrganizationScope,
  sql: Sql,
  { experimentId, least, most }: { experimentId: string | null; least: number; most: number },
): Promise<{ readonly id: string; readonly aa_string: string }[]> {
  return sql.query(
    `select s.id, s.aa_string from sequences s where ${isWithin('s')} and s.length between $3 and $4`,
    [scope.organizationId, experimentId, least, most],
  );
}

/** A released result, as far as experiments are compared by it. */
export interface ComparedRow {
  readonly result_id: string;
  readonly sequence_name: string;
  readonly aa_md5: string;
  readonly is_control: boolean;
  readonly outcome: Outcome;
  readonly grade: Grade | null;
  readonly place: number | null;
  readonly quantities: Readonly<Record<string, ShownQuantity>>;
  readonly summary: Readonly<Record<string, unknown>>;
}

/** Selects the present results of an experiment, best first. */
export function selectCompared(
  scope: OrganizationScope,
  sql: Sql,
  experimentId: string,
): Promise<ComparedRow[]> {
  return sql.query<ComparedRow>(
    `select r.id as result_id, s.name as sequence_name, s.aa_md5, coalesce(r.is_control, s.is_control) as is_control,
       r.outcome, r.grade, ${writePlace(scope)} as place, coalesce(r.quantities, '{}') as quantities,
       coalesce(${writeRows(scope)} -> 0, '{}') - 'replicates' as summary
     from results r join sequences s on s.id = r.sequence_id
     where ${writePresent(scope)} and r.experiment_id = $2 order by ${BEST_FIRST}`,
    [scope.organizationId, experimentId],
  );
}
