/** Stored runs, and which experiments they serve. A run belongs to the lab; its experiments belong to organizations. */
import type { ListQuery } from '#core/filter/index.ts';
import { isUuid } from '#core/ids.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import { getOrganizationId, type LabScope, type OrganizationScope, type Scope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { insertInto, insertManyOwned, updateRows, createColumnMaker } from '#core/write-rows.ts';
import type { ExperimentStatus, InvoiceStatus } from '#core/lifecycle.ts';
import type { PlanRecord, RunRequestInput } from './plan-schemas.ts';
import type { RunItem } from './run-contract.ts';
import { RUN_CODE, RUN_STATUS } from './run-list-fields.ts';

const ITEM = `r.id, ${RUN_CODE} as code, ${RUN_STATUS} as status, r.experiment_type, r.method, r.layout,
  r.plate_size as size, r.plate_count as n_plates, r.experiment_count as n_experiments, r.instrument, r.operator,
  r.created_by, ${writeWireTime('r.created_at')} as created_at, ${writeWireTime('r.updated_at')} as updated_at,
  ${writeWireTime('r.started_at')} as started_at, ${writeWireTime('r.canceled_at')} as canceled_at`;

export function listRunPage(sql: Sql, query: ListQuery): Promise<RawJson> {
  return listPage(sql, { item: ITEM, from: 'lab_runs r', alias: 'r', where: 'true', values: [] }, query);
}

/** A stored run with its plan, as the planner answered it. */
export interface StoredRun extends RunItem {
  readonly request: RunRequestInput;
  readonly plan: PlanRecord;
  readonly started_by: string | null;
  readonly cancel_reason: string | null;
}

const DETAIL = `select ${ITEM}, r.request, r.plan, r.started_by, r.cancel_reason from lab_runs r`;
const CODE = /^RUN-(\d{1,9})$/;

/** `idOrCode` is an id or a code such as `RUN-000012`. */
export async function findRun(sql: Sql, idOrCode: string): Promise<StoredRun | undefined> {
  return selectRun(sql, idOrCode, '');
}

/** Reads the run and locks its row until the transaction ends. */
export async function lockRun(sql: Sql, idOrCode: string): Promise<StoredRun | undefined> {
  return selectRun(sql, idOrCode, 'for update of r');
}

async function selectRun(sql: Sql, idOrCode: string, locking: string): Promise<StoredRun | undefined> {
  const number = CODE.exec(idOrCode)?.[1];
  if (isUuid(idOrCode))
    return getFirst(await sql.query<StoredRun>(`${DETAIL} where r.id = $1 ${locking}`, [idOrCode]));
  if (number === undefined) return undefined;
  return getFirst(await sql.query<StoredRun>(`${DETAIL} where r.number = $1 ${locking}`, [Number(number)]));
}

export interface NewStoredRun {
  readonly id: string;
  readonly experiment_type: string;
  readonly method: string | null;
  readonly request: RunRequestInput;
  readonly plan: PlanRecord;
  readonly instrument: string | null;
  readonly operator: string | null;
  readonly created_by: string;
  readonly created_at: Date;
}

export async function insertStoredRun(sql: Sql, run: NewStoredRun, count: number): Promise<void> {
  const { plan } = run;
  await sql.query(
    ...insertInto('lab_runs', {
      ...run,
      status: 'planned',
      layout: plan.layout,
      plate_size: plan.size,
      plate_count: plan.plates.length,
      experiment_count: count,
      request: JSON.stringify(run.request),
      plan: JSON.stringify(plan),
      updated_at: run.created_at,
    }),
  );
}

/** Writes which experiments of an organization a run serves, at their places in it. */
export async function insertRunExperiments(
  scope: OrganizationScope,
  sql: Sql,
  runId: string,
  experiments: readonly { readonly id: string; readonly position: number }[],
): Promise<void> {
  const listValues = createColumnMaker(experiments);
  await sql.query(
    ...insertManyOwned(scope, 'lab_run_experiments', {
      lab_run_id: runId,
      experiment_id: listValues('uuid', ({ id }) => id),
      position: listValues('int', ({ position }) => position),
    }),
  );
}

export interface RunChange {
  /** Absent: as it is. */
  readonly plan?: PlanRecord;
  readonly instrument: string | null;
  readonly operator: string | null;
}

export async function changeRun(
  sql: Sql,
  runId: string,
  { change, at }: { readonly change: RunChange; readonly at: Date },
): Promise<void> {
  const { plan, instrument, operator } = change;
  await sql.query(
    ...updateRows(
      'lab_runs',
      {
        instrument,
        operator,
        updated_at: at,
        ...(plan === undefined ? {} : { plan: JSON.stringify(plan), plate_count: plan.plates.length }),
      },
      'where id = $1',
      [runId],
    ),
  );
}

export async function markRunStarted(
  sql: Sql,
  runId: string,
  by: {
    readonly instrument: string;
    readonly operator: string;
    readonly startedBy: string;
    readonly at: Date;
  },
): Promise<void> {
  const { instrument, operator, startedBy, at } = by;
  await sql.query(
    ...updateRows(
      'lab_runs',
      { status: 'running', instrument, operator, started_by: startedBy, started_at: at, updated_at: at },
      'where id = $1',
      [runId],
    ),
  );
}

export async function markRunCanceled(
  sql: Sql,
  runId: string,
  { reason, at }: { readonly reason: string; readonly at: Date },
): Promise<void> {
  await sql.query(
    ...updateRows(
      'lab_runs',
      { status: 'canceled', cancel_reason: reason, canceled_at: at, updated_at: at },
      'where id = $1',
      [runId],
    ),
  );
}

/** The experiments of a run in the order of their ids. */
export async function selectExperimentIds(_lab: LabScope, sql: Sql, runId: string): Promise<string[]> {
  const rows = await sql.query<{ experiment_id: string }>(
    'select experiment_id from lab_run_experiments where lab_run_id = $1 order by experiment_id',
    [runId],
  );
  return rows.map(({ experiment_id: id }) => id);
}

/** An experiment of a stored run, with its money. */
export interface RunExperimentRow {
  readonly experiment_id: string;
  readonly code: string;
  readonly organization_id: string;
  readonly organization_name: string;
  readonly status: ExperimentStatus;
  readonly invoice_status: InvoiceStatus | null;
  readonly unpaid_reason: string | null;
  /** Its own run since the start of the stored one; null before. */
  readonly run_id: string | null;
}

export async function selectRunExperiments(
  _lab: LabScope,
  sql: Sql,
  runId: string,
): Promise<RunExperimentRow[]> {
  return sql.query<RunExperimentRow>(
    `select e.id as experiment_id, e.code, e.organization_id, o.name as organization_name, e.status,
       inv.status as invoice_status, u.reason as unpaid_reason, own.id as run_id
     from lab_run_experiments x join experiments e on e.id = x.experiment_id
     join organizations o on o.id = e.organization_id
     left join lateral (select i.status from invoices i where i.experiment_id = e.id
       and not exists (select 1 from invoices n where n.replaces_id = i.id)
       order by i.created_at desc limit 1) inv on true
     left join unpaid_releases u on u.experiment_id = e.id
     left join runs own on own.lab_run_id = x.lab_run_id and own.experiment_id = e.id
     where x.lab_run_id = $1 order by x.position`,
    [runId],
  );
}

/** The plans by which runs of an experiment started, in the order of its runs. */
export async function selectPlansOfExperiment(
  scope: Scope,
  sql: Sql,
  experimentId: string,
): Promise<readonly PlanRecord[]> {
  const rows = await sql.query<{ plan: PlanRecord }>(
    `select r.plan from runs own join lab_runs r on r.id = own.lab_run_id
     where ($1::uuid is null or own.organization_id = $1) and own.experiment_id = $2 order by own.ordinal`,
    [getOrganizationId(scope), experimentId],
  );
  return rows.map(({ plan }) => plan);
}

/** Digests the plans of an experiment's runs, with how many experiments share each. */
export async function computePlansDigest(scope: Scope, sql: Sql, experimentId: string): Promise<string> {
  const rows = await sql.query<{ digest: string | null }>(
    `select md5(string_agg(concat_ws(' ', r.id, r.experiment_count, md5(r.plan::text)), ',' order by own.ordinal)) as digest
     from runs own join lab_runs r on r.id = own.lab_run_id
     where ($1::uuid is null or own.organization_id = $1) and own.experiment_id = $2`,
    [getOrganizationId(scope), experimentId],
  );
  return getFirst(rows)?.digest ?? '';
}
