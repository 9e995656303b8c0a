import { gunzipSync } from 'node:zlib';
import type { ResultSummaryMode } from '#core/context.ts';
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import { toRankEnds, type RankRange } from '#core/ranking.ts';
import { RawJson } from '#core/reply.ts';
import { getOrganizationId, type OrganizationScope, type Scope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { insertOwned, createColumnMaker, expression, insertManyOwned } from '#core/write-rows.ts';
import { listPublishedShapes } from '#assays/registry.ts';
import type { Outcome } from './outcomes.ts';
import type { Curve, PlateMap, Sensorgram } from './curves.ts';
import type { Quantity } from './row-fields.ts';
import {
  writeAnalysis,
  writeDetails,
  writeMetadata,
  writePlace,
  writeRows,
  writeWithheld,
  writePresent,
  writeVisible,
} from './shown-to-clients.ts';
import { isRecord } from '#core/records.ts';
import { computeAssessment, type Assessed } from './assessment.ts';
import { computeThumbnail } from './thumbnails.ts';

export interface NewResult {
  readonly id: string;
  readonly experiment_id: string;
  readonly experiment_code: string;
  readonly experiment_type: string;
  readonly sequence_id: string;
  readonly title: string;
  readonly version: number;
  /** Id of the request for another analysis; undefined for the first analysis of a run. */
  readonly analysis_id?: string;
  readonly outcome: Outcome;
  readonly target_id: string | null;
  readonly binding_score: number | null;
  /** What it is ranked by; null without a place. */
  readonly rank_range: RankRange | null;
  /** The summary rows as the wire has them. */
  readonly summary: readonly unknown[];
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The other members of the wire's record. */
  readonly record: Readonly<Record<string, unknown>>;
  /** gzip of `{"signal_unit":…,"curves":[…]}` in the wire's form. */
  readonly packed_curves: Uint8Array;
  /** What controls showed in the analysis; its first result carries them for all. */
  readonly control_values: readonly NewControlValue[];
}

/** How a record is written: the address of the API in its links, and the rows that `summary` keeps. */
export interface ResultForm {
  readonly apiUrl: string;
  readonly summary: ResultSummaryMode;
}

/** Results are preliminary until the review releases them. */
export async function insertResults(
  scope: OrganizationScope,
  sql: Sql,
  results: readonly NewResult[],
  at: Date,
): Promise<void> {
  for (const result of results) {
    await sql.query(
      ...insertOwned(scope, 'results', {
        id: result.id,
        experiment_id: result.experiment_id,
        experiment_code: result.experiment_code,
        experiment_type: result.experiment_type,
        sequence_id: result.sequence_id,
        title: result.title,
        version: result.version,
        status: 'preliminary',
        outcome: result.outcome,
        target_id: result.target_id,
        binding_score: result.binding_score,
        ...listRankColumns(result),
        summary: JSON.stringify(result.summary),
        metadata: JSON.stringify(result.metadata),
        record: JSON.stringify(result.record),
        created_at: at,
        updated_at: at,
        analysis_id: result.analysis_id ?? null,
      }),
    );
    await sql.query(
      ...insertOwned(scope, 'result_curves', {
        result_id: result.id,
        curves: result.packed_curves,
        thumbnail: drawThumbnail(result.packed_curves),
      }),
    );
    await insertControlValues(scope, sql, result, result.control_values, at);
  }
}

function drawThumbnail(packed: Uint8Array): string {
  const { signal_unit: unit, curves } = unpackCurves(packed);
  return JSON.stringify(computeThumbnail(unit, curves.map(addKind)));
}

function listRankColumns({ rank_range: rankRange }: NewResult): {
  rank_best: number | null;
  rank_worst: number | null;
} {
  if (rankRange === null) return { rank_best: null, rank_worst: null };
  const { best, worst } = toRankEnds(rankRange);
  return { rank_best: best, rank_worst: worst };
}

/** The rows for clients that know only the shapes published first, and reject a list with another. */
const writePublishedRows = (
  rows: string,
): string => `(select coalesce(jsonb_agg(listed.item order by listed.at), '[]')
  from jsonb_array_elements(${rows}) with ordinality as listed (item, at)
  where listed.item ->> 'result_type' in (${listPublishedShapes()
    .map((shape) => `'${shape}'`)
    .join(', ')}))`;

/** A record of an earlier version does not say what was ordered; the order does. */
const ORDERED = `coalesce((kept.record ->> 'n_replicates_ordered')::int,
  (select e.n_replicates from experiments e where e.id = r.experiment_id))`;

/**
 * The columns of the wire's record, and the subquery that they read. `$2` is the address of the API. The link to the
 * data package is only its path, which has yet to be signed; what the lab reads before the release links to addresses of
 * the lab. A stored record is compressed, so the subquery unpacks it once for all its fields.
 */
const writeRecord = (scope: Scope, summary: ResultSummaryMode): string =>
  `r.id, r.title, r.experiment_id, r.experiment_code, r.experiment_type, r.experiment_type as result_type,
  r.sequence_id, kept.record ->> 'sequence_name' as sequence_name,
  (kept.record ->> 'is_control')::boolean as is_control, kept.record ->> 'control_role' as control_role,
  r.target_id, kept.record ->> 'target_name' as target_name,
  kept.record ->> 'method' as method, kept.record ->> 'instrument' as instrument,
  r.status, r.version, kept.record -> 'assessment' as assessment, r.outcome, r.binding_score,
  ${writePlace(scope)} as place,
  ${ORDERED} as n_replicates_ordered,
  (kept.record ->> 'n_replicates')::int as n_replicates,
  (kept.record ->> 'n_replicates_passed')::int as n_replicates_passed,
  (kept.record ->> 'n_curves_planned')::int as n_curves_planned, (kept.record ->> 'n_curves')::int as n_curves,
  coalesce(kept.record -> 'excluded_replicates', '[]') as excluded_replicates, kept.record -> 'qc' as qc,
  kept.record -> 'quantities' as quantities,
  ${summary === 'all' ? 'kept.rows' : writePublishedRows('kept.rows')} as summary, kept.rows,
  ${writeDetails(scope, 'kept.record')} as details,
  ${writeMetadata(scope)} as metadata, ${writeAnalysis(scope, 'kept.record')} as analysis,
  ${writeLinks(scope)},
  ${writeWireTime('r.created_at')} as created_at, ${writeWireTime('r.updated_at')} as updated_at
  from (select r.record || '{}' as record, ${writeRows(scope)} as rows offset 0) kept`;

function writeLinks({ kind }: Scope): string {
  const isClient = kind === 'organization';
  const path = `$2::text || ${isClient ? '' : `'/lab/experiments/' || r.experiment_id || `}'/results/' || r.id`;
  const archive = isClient
    ? `'/files/data-packages/' || r.organization_id || '/' || r.experiment_id`
    : 'null';
  return `${archive} as data_package_url, ${path} || '/curves' as curves_url, ${path} || '/plot.svg' as plot_url`;
}

/** Lists the current version of each result; only of one experiment when `experimentId` is given. */
export async function listResultPage(
  scope: Scope,
  sql: Sql,
  query: ListQuery,
  options: ResultForm & { readonly experimentId: string | null },
): Promise<RawJson> {
  const { experimentId } = options;
  const where = `${writePresent(scope)} and $2::text is not null`;
  const values = [getOrganizationId(scope), options.apiUrl];
  const page = await listPage(
    sql,
    {
      item: writeRecord(scope, options.summary),
      from: 'results r',
      alias: 'r',
      ...(experimentId === null
        ? { where, values }
        : { where: `${where} and r.experiment_id = $3`, values: [...values, experimentId] }),
    },
    query,
  );
  return new RawJson(addAssessments(page.text));
}

export async function findResultJson(
  scope: Scope,
  sql: Sql,
  id: string,
  { apiUrl, summary }: ResultForm,
): Promise<string | undefined> {
  const rows = await sql.query<{ item: string }>(
    `select (select row_to_json(item)::text from (select ${writeRecord(scope, summary)}) item) as item from results r
     where ${writeVisible(scope)} and r.id = $3`,
    [getOrganizationId(scope), apiUrl, id],
  );
  const json = getFirst(rows)?.item;
  return json === undefined ? undefined : addAssessments(json);
}

/** Finds the experiment of a result. */
export async function selectExperimentOfResult(
  scope: Scope,
  sql: Sql,
  id: string,
): Promise<string | undefined> {
  const rows = await sql.query<{ experiment_id: string }>(
    `select r.experiment_id from results r where ${writeVisible(scope)} and r.id = $2`,
    [getOrganizationId(scope), id],
  );
  return getFirst(rows)?.experiment_id;
}

/** The part of a quantity that a figure shows; stored curves may lack its interval. */
export type ShownQuantity = Pick<Quantity, 'value'> & { readonly relation: string } & Partial<
    Pick<Quantity, 'unit' | 'ci95_low' | 'ci95_high' | 'n'>
  >;

export interface ResultCurves {
  readonly experiment_code: string;
  readonly experiment_type: string;
  readonly sequence_name: string;
  readonly is_control: boolean;
  readonly place: number | null;
  readonly target_name: string | null;
  readonly title: string;
  readonly quantities: Readonly<Record<string, ShownQuantity>>;
  /** The replicate rows of the summary. */
  readonly replicates: readonly Readonly<Record<string, unknown>>[];
  /** The first summary row without its replicates. */
  readonly summary: Readonly<Record<string, unknown>>;
  readonly method: string | null;
  /** Engine, model, settings and plates. */
  readonly analysis: Readonly<Record<string, unknown>>;
  /** How the values were chosen; absent or null without any. */
  readonly details?: Readonly<Record<string, unknown>> | null;
  readonly outcome: Outcome;
  readonly flags: readonly string[];
  readonly signal_unit: string;
  readonly curves: readonly Curve[];
}

/** Sensorgrams are stored without `kind`, so it is added here. */
const SENSORGRAM = { kind: 'sensorgram' } as const;

/** What is stored of the curves, unpacked. */
interface StoredCurves extends Pick<ResultCurves, 'signal_unit'> {
  readonly curves: readonly (Curve | Omit<Sensorgram, 'kind'>)[];
}

interface CurvesRow extends Omit<ResultCurves, 'signal_unit' | 'curves'> {
  /** gzip of `StoredCurves`. */
  readonly packed: Buffer;
  /** Samples that the client does not see. */
  readonly withheld: readonly string[];
}

export async function findCurves(
  scope: Scope,
  sql: Sql,
  resultId: string,
): Promise<ResultCurves | undefined> {
  const rows = await sql.query<CurvesRow>(
    `select r.experiment_code, r.experiment_type, r.record ->> 'sequence_name' as sequence_name,
       r.record ->> 'target_name' as target_name, coalesce((r.record ->> 'is_control')::boolean, false) as is_control,
       ${writePlace(scope)} as place, r.title, r.record -> 'quantities' as quantities, r.outcome,
       r.record -> 'qc' -> 'flags' as flags, coalesce(r.summary -> 0 -> 'replicates', '[]') as replicates,
       coalesce(${writeRows(scope)} -> 0, '{}') - 'replicates' as summary, r.record ->> 'method' as method,
       coalesce(${writeAnalysis(scope)}, '{}') as analysis, ${writeDetails(scope)} as details, c.curves as packed,
       ${writeWithheld(scope)} as withheld
     from results r join result_curves c on c.result_id = r.id
     where ${writeVisible(scope)} and r.id = $2`,
    [getOrganizationId(scope), resultId],
  );
  const row = getFirst(rows);
  if (row === undefined) return undefined;
  const { packed, withheld, ...rest } = row;
  const unpacked = unpackCurves(packed);
  const hidden = new Set(withheld);
  const curves = unpacked.curves
    .map(addKind)
    .map((curve) => (curve.kind === 'plate' && hidden.size > 0 ? removeWells(curve, hidden) : curve));
  return { ...rest, signal_unit: unpacked.signal_unit, curves };
}

function unpackCurves(packed: Uint8Array): StoredCurves {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what insertResults packed
  return JSON.parse(gunzipSync(packed).toString('utf8')) as StoredCurves;
}

function addKind(curve: StoredCurves['curves'][number]): Curve {
  return 'kind' in curve ? curve : { ...SENSORGRAM, ...curve };
}

function removeWells(map: PlateMap, samples: ReadonlySet<string>): PlateMap {
  const keep = <Value>(list: readonly Value[]): Value[] =>
    list.filter((_, index) => !samples.has(map.sample[index] ?? ''));
  return {
    ...map,
    well: keep(map.well),
    role: keep(map.role),
    sample: keep(map.sample),
    sample_replicate: keep(map.sample_replicate),
    signal: keep(map.signal),
    normalized: keep(map.normalized),
    saturated: keep(map.saturated),
  };
}

/** Stands in the JSON of a record that was stored before there were assessments. */
const WITHOUT_ASSESSMENT = '"assessment":null';

/** Adds its assessment to each record of the JSON that lacks it, whether it is a record or a page of them. */
export function addAssessments(json: string): string {
  if (!json.includes(WITHOUT_ASSESSMENT)) return json;
  const parsed: unknown = JSON.parse(json);
  if (!isRecord(parsed)) return json;
  for (const item of Array.isArray(parsed.items) ? parsed.items : [parsed])
    if (isMutable(item)) addAssessment(item);
  return JSON.stringify(parsed);
}

const isMutable = (value: unknown): value is Record<string, unknown> => isRecord(value);

function addAssessment(item: Record<string, unknown>): void {
  if (item.assessment !== null) return;
  const rows = listRows(item.rows);
  const stored = { ...item, qc: item.qc ?? { flags: [] }, quantities: item.quantities ?? {} };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the record as the database wrote it
  item.assessment = computeAssessment({ ...stored, row: rows[0] ?? {} } as unknown as Assessed);
  for (const row of [...rows, ...listRows(item.summary)]) row.assessment ??= item.assessment;
}

function listRows(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isMutable) : [];
}

/** What a control showed on a plate. */
interface NewControlValue {
  readonly id: string;
  readonly runId: string;
  readonly control: string;
  readonly role: string;
  readonly quantity: string;
  readonly value: number;
  readonly unit: string;
  readonly targetName: string | null;
  readonly instrument: string | null;
  readonly plate: string;
  readonly nReplicates: number;
  readonly measuredAt: Date;
}

interface MeasuredResult {
  readonly experiment_id: string;
  readonly experiment_type: string;
  readonly version: number;
  readonly target_id: string | null;
}

/** The lot is that of the target at this time. */
async function insertControlValues(
  scope: OrganizationScope,
  sql: Sql,
  result: MeasuredResult,
  values: readonly NewControlValue[],
  at: Date,
): Promise<void> {
  if (values.length === 0) return;
  const listValues = createColumnMaker(values);
  await sql.query(
    ...insertManyOwned(scope, 'control_values', {
      id: listValues('uuid', ({ id }) => id),
      experiment_id: result.experiment_id,
      run_id: listValues('uuid', ({ runId }) => runId),
      version: result.version,
      control: listValues('text', ({ control }) => control),
      role: listValues('text', ({ role }) => role),
      quantity: listValues('text', ({ quantity }) => quantity),
      value: listValues('float8', ({ value }) => value),
      unit: listValues('text', ({ unit }) => unit),
      experiment_type: result.experiment_type,
      target_name: listValues('text', ({ targetName }) => targetName ?? ''),
      lot: expression`(select lot from targets where id = ${result.target_id}::uuid)`,
      instrument: listValues('text', ({ instrument }) => instrument),
      plate: listValues('text', ({ plate }) => plate),
      n_replicates: listValues('int', ({ nReplicates }) => nReplicates),
      measured_at: listValues('timestamptz', ({ measuredAt }) => measuredAt),
      created_at: at,
    }),
  );
}
