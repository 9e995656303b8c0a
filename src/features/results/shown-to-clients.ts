// tidy-allow sql-place: expressions that stores and the fields of a list share; a list may not reach a store
/**
 * The parts of a result that tell of other samples: its rank, comparisons with controls, and settings and notices that
 * name samples. While a client has only some of the results, none may tell of the rest; a run that several experiments
 * share never names their samples.
 */
import type { Scope } from '#core/scope.ts';

const IS_PARTIAL = `(select e.results_status = 'partial' from experiments e where e.id = r.experiment_id)`;

/** The rank of a result among those that were released together with it; each release writes it. */
export const RELEASED_PLACE = 'r.released_place';

/** A stored record is large and compressed, so a list reads the name of its sequence. */
export const SEQUENCE_NAME = `(select s.name from sequences s where s.id = r.sequence_id)`;

export function writePlace({ kind }: Scope): string {
  return kind === 'organization' ? RELEASED_PLACE : 'r.place';
}

/**
 * Best first, by the bound that favors a result, and those without a rank last. The order never contradicts a place,
 * whichever results it counts.
 */
export const BEST_FIRST = 'r.rank_best nulls last, r.rank_worst, r.id';

const IS_GUARDED = `(${IS_PARTIAL} or exists (select 1 from runs shared
  join lab_runs l on l.id = shared.lab_run_id and l.experiment_count > 1 where shared.experiment_id = r.experiment_id))`;

/** Settings whose members are named after samples, or assign traces to samples. */
const NAMING = ['assign', 'ligand_mass_da', 'control_kd_m', 'control_ng_per_ul', 'control_tm_c'];

/** Members of a setting that name a released sequence: as their sample or, without one, as their own name. */
const RELEASED_MEMBERS = `(select coalesce(jsonb_object_agg(member.key, member.value), '{}') from jsonb_each(setting.value) member
  where coalesce(member.value ->> 'sample', member.key) in (select o.record ->> 'sequence_name' from results o
    where o.experiment_id = r.experiment_id and o.released_at is not null))`;

const writeGuardedSettings = (settings: string): string => `(select jsonb_object_agg(setting.key,
  case when setting.key in (${NAMING.map((name) => `'${name}'`).join(', ')}) and jsonb_typeof(setting.value) = 'object'
    then ${RELEASED_MEMBERS} else setting.value end) from jsonb_each(${settings}) setting)`;

/**
 * How the result was analyzed; to clients the settings name no sample that they do not have. A statement that reads many
 * records gives them unpacked as `record`, because each mention of a stored one unpacks it anew.
 */
export function writeAnalysis({ kind }: Scope, record = 'r.record'): string {
  const analysis = `${record} -> 'analysis'`;
  if (kind === 'lab') return analysis;
  const settings = `${record} #> '{analysis,settings}'`;
  return `case when jsonb_typeof(${settings}) = 'object' and ${settings} <> '{}' and ${IS_GUARDED}
    then jsonb_set(${analysis}, '{settings}', ${writeGuardedSettings(settings)}) else ${analysis} end`;
}

/** Names of the sequences of the experiment without a released result. */
const WITHHELD_NAMES = `array(select s.name from sequences s where s.experiment_id = r.experiment_id
  and not exists (select 1 from results x where x.experiment_id = s.experiment_id and x.sequence_id = s.id
    and x.released_at is not null))`;

/** As JSON: names whose wells a plate map leaves out for a client. */
export function writeWithheld({ kind }: Scope): string {
  return kind === 'lab'
    ? `'[]'::json`
    : `case when ${IS_PARTIAL} then to_json(${WITHHELD_NAMES}) else '[]' end`;
}

const COMPARING = ['performance', 'comparison'] as const;

/** The verdicts on released controls; a row of another assay has none. */
const GUARDED_VERDICTS = COMPARING.map(
  (name) => `case when jsonb_typeof(listed.item -> '${name}') = 'object'
    then jsonb_build_object('${name}', (listed.item -> '${name}') - hidden.names) else '{}' end`,
).join(' || ');

/** The rank in a row is that of the result. */
const RELEASED_RANK = `case when jsonb_typeof(listed.item -> 'place') = 'number'
  then jsonb_build_object('place', ${RELEASED_PLACE}) else '{}' end`;

/** The flat rows, ranked among, and compared with, released results alone. */
const RELEASED_ROWS = `case when ${IS_PARTIAL} or ${RELEASED_PLACE} is distinct from r.place then (select coalesce(jsonb_agg(listed.item || ${RELEASED_RANK} || ${GUARDED_VERDICTS} order by listed.at), '[]')
    from (select ${WITHHELD_NAMES} as names) hidden, jsonb_array_elements(r.summary) with ordinality as listed (item, at))
    else r.summary end`;

const writeReleasedMember = (name: string, guarded: string): string =>
  `case when ${IS_PARTIAL} and jsonb_typeof(r.summary #> '{0,${name}}') = 'object'
    then jsonb_build_object('${name}', ${guarded}) else r.summary -> 0 end`;

/** The first row with what clients read of one member, by the members that tell of other results. */
export const RELEASED_MEMBERS_OF_ROW: Readonly<Record<string, string>> = {
  place: `case when jsonb_typeof(r.summary #> '{0,place}') = 'number'
    then jsonb_build_object('place', ${RELEASED_PLACE}) else r.summary -> 0 end`,
  ...Object.fromEntries(
    COMPARING.map((name) => [
      name,
      writeReleasedMember(name, `(r.summary #> '{0,${name}}') - ${WITHHELD_NAMES}`),
    ]),
  ),
};

export function writeRows({ kind }: Scope): string {
  return kind === 'organization' ? RELEASED_ROWS : 'r.summary';
}

/** The details of the values, with the same comparisons as the rows. */
export function writeDetails({ kind }: Scope, record = 'r.record'): string {
  const details = `${record} -> 'details'`;
  if (kind === 'lab') return details;
  return `case when jsonb_typeof(${details} -> 'comparisons') = 'array' and ${IS_PARTIAL}
    then jsonb_set(${details}, '{comparisons}', (select coalesce(jsonb_agg(listed.item order by listed.at), '[]')
      from jsonb_array_elements(${details} -> 'comparisons') with ordinality as listed (item, at)
      where not (listed.item ->> 'control') = any (${WITHHELD_NAMES}))) else ${details} end`;
}

/** What reading the files told; to clients no notice that names a sequence without a released result. */
export function writeMetadata({ kind }: Scope): string {
  if (kind === 'lab') return 'r.metadata';
  return `case when jsonb_typeof(r.metadata -> 'notices') = 'array' and ${IS_PARTIAL}
    then jsonb_set(r.metadata, '{notices}', (select coalesce(jsonb_agg(listed.notice order by listed.at), '[]')
      from jsonb_array_elements_text(r.metadata -> 'notices') with ordinality as listed (notice, at)
      where not exists (select 1 from unnest(${WITHHELD_NAMES}) as withheld (name)
        where strpos(listed.notice, withheld.name) > 0))) else r.metadata end`;
}

/**
 * Which versions of results a query may show. The scope decides: a client reads what was released, and the lab also
 * what waits for review. Each condition uses the scope's organization as `$1`.
 */

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
