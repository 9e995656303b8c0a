import type { PaymentMethod } from '#core/capability.ts';
import { getFirst, getExactlyOne, type Sql, type Transaction } from '#core/sql.ts';
import { expression, insertOwned, updateRows } from '#core/write-rows.ts';
import { getOrganizationId, type LabScope, type OrganizationScope, type Scope } from '#core/scope.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { isUuid } from '#core/ids.ts';
import type { ExperimentType, RequestedTarget } from './contract.ts';
import type { NewExperimentSpec } from './rules.ts';

/** A row of the table of experiments. */
export interface ExperimentRow {
  readonly id: string;
  readonly organization_id: string;
  readonly code: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: ExperimentStatus;
  readonly results_status: 'none' | 'partial' | 'all';
  readonly experiment_type: ExperimentType;
  readonly method: 'bli' | 'spr' | null;
  readonly target_id: string | null;
  readonly requested_target: RequestedTarget | null;
  readonly n_replicates: number;
  readonly antigen_concentrations_nm: number[] | null;
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly sequence_count: number;
  readonly payment_method: PaymentMethod;
  readonly webhook_url: string | null;
  /** The expected date of its results, as the client knows it. */
  readonly eta: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

const COLUMNS = `id, organization_id, code, name, description, status, results_status, experiment_type, method,
  target_id, requested_target, n_replicates, antigen_concentrations_nm, parameters, sequence_count, payment_method,
  webhook_url, eta, created_at, updated_at`;

/** `$1` is the organization (null for the lab), `$2` an id or a code. */
const BY_ID = `select ${COLUMNS} from experiments where ($1::uuid is null or organization_id = $1) and id = $2`;
const BY_CODE = `select ${COLUMNS} from experiments where ($1::uuid is null or organization_id = $1) and code = $2`;

export async function findExperiment(
  scope: Scope,
  sql: Sql,
  idOrCode: string,
): Promise<ExperimentRow | undefined> {
  const text = isUuid(idOrCode) ? BY_ID : BY_CODE;
  return getFirst(await sql.query<ExperimentRow>(text, [getOrganizationId(scope), idOrCode]));
}

/** Reads the experiment and locks its row until the transaction ends. Every change of state starts here. */
export async function lockExperiment(
  scope: Scope,
  sql: Sql,
  idOrCode: string,
): Promise<ExperimentRow | undefined> {
  const text = `${isUuid(idOrCode) ? BY_ID : BY_CODE} for update`;
  return getFirst(await sql.query<ExperimentRow>(text, [getOrganizationId(scope), idOrCode]));
}

/** Locks the experiment that a quote belongs to. */
export async function lockExperimentOfQuote(
  scope: Scope,
  sql: Sql,
  quoteId: string,
): Promise<ExperimentRow | undefined> {
  const rows = await sql.query<ExperimentRow>(
    `select ${COLUMNS} from experiments where ($1::uuid is null or organization_id = $1)
       and id = (select experiment_id from quotes where id = $2) for update`,
    [getOrganizationId(scope), quoteId],
  );
  return getFirst(rows);
}

/** Selects the experiments in one of the statuses, oldest first. */
export async function selectExperimentsInStatus(
  scope: LabScope,
  sql: Sql,
  statuses: readonly ExperimentStatus[],
): Promise<ExperimentRow[]> {
  return sql.query<ExperimentRow>(
    `select ${COLUMNS} from experiments where ($1::uuid is null or organization_id = $1) and status = any($2)
     order by created_at, id`,
    [getOrganizationId(scope), statuses],
  );
}

/** Returns the number of an experiment that this transaction is about to insert; the count includes it. */
export async function takeExperimentNumber(
  scope: OrganizationScope,
  sql: Sql,
  series: number,
): Promise<number> {
  const rows = await sql.query<{ last_number: number }>(
    ...insertOwned(
      scope,
      'experiment_counters',
      { series, last_number: 1, live_count: 1 },
      `on conflict (organization_id, series) do update set last_number = experiment_counters.last_number + 1,
         live_count = experiment_counters.live_count + 1
       returning last_number`,
    ),
  );
  return getExactlyOne(rows).last_number;
}

interface NewExperiment {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly description: string | null;
  readonly status: ExperimentStatus;
  readonly spec: NewExperimentSpec;
  readonly payment_method: string;
  readonly webhook_url: string | null;
  readonly sealed_webhook_secret: string | null;
  readonly user_id: string;
  readonly token_id: string;
  readonly created_at: Date;
}

export async function insertExperiment(
  scope: OrganizationScope,
  sql: Sql,
  { spec: { sequences, ...spec }, user_id: userId, token_id: tokenId, ...experiment }: NewExperiment,
): Promise<ExperimentRow> {
  const rows = await sql.query<ExperimentRow>(
    ...insertOwned(
      scope,
      'experiments',
      {
        ...experiment,
        ...spec,
        status_since: experiment.created_at,
        requested_target: spec.requested_target === null ? null : JSON.stringify(spec.requested_target),
        parameters: spec.parameters === null ? null : JSON.stringify(spec.parameters),
        sequence_count: sequences.length,
        created_by_user_id: userId,
        created_by_token_id: tokenId,
        updated_at: experiment.created_at,
        submitted_at: experiment.status === 'draft' ? null : experiment.created_at,
      },
      `returning ${COLUMNS}`,
    ),
  );
  return getExactlyOne(rows);
}

/** The fields of an experiment that can change outside its lifecycle. */
export interface ExperimentChanges {
  readonly name: string;
  readonly description: string | null;
  readonly target_id: string | null;
  readonly requested_target: RequestedTarget | null;
  readonly n_replicates: number;
  readonly antigen_concentrations_nm: readonly number[] | null;
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly sequence_count: number;
  readonly webhook_url: string | null;
}

export async function updateExperiment(
  scope: Scope,
  sql: Sql,
  id: string,
  values: ExperimentChanges,
  at: Date,
): Promise<ExperimentRow> {
  const rows = await sql.query<ExperimentRow>(
    ...updateRows(
      'experiments',
      {
        name: values.name,
        description: values.description,
        target_id: values.target_id,
        n_replicates: values.n_replicates,
        antigen_concentrations_nm: values.antigen_concentrations_nm,
        sequence_count: values.sequence_count,
        webhook_url: values.webhook_url,
        requested_target: values.requested_target === null ? null : JSON.stringify(values.requested_target),
        parameters: values.parameters === null ? null : JSON.stringify(values.parameters),
        updated_at: at,
      },
      `where ($1::uuid is null or organization_id = $1) and id = $2 returning ${COLUMNS}`,
      [getOrganizationId(scope), id],
    ),
  );
  return getExactlyOne(rows);
}

/** Compare-and-set of the status. The caller holds the row lock. */
export async function setStatus(
  scope: Scope,
  sql: Sql,
  id: string,
  change: { readonly from: ExperimentStatus; readonly to: ExperimentStatus; readonly at: Date },
): Promise<void> {
  const rows = await sql.query<{ id: string }>(
    `update experiments set status = $4, status_since = $5, updated_at = $5,
       submitted_at = case when $3 = 'draft' and $4 <> 'canceled' then $5 else submitted_at end,
       finished_at = case when $4 in ('done', 'canceled') then $5 else finished_at end
     where ($1::uuid is null or organization_id = $1) and id = $2 and status = $3 returning id`,
    [getOrganizationId(scope), id, change.from, change.to, change.at],
  );
  getExactlyOne(rows);
}

/** Replaces a requested target by a target of the catalog. */
export async function setTarget(
  scope: OrganizationScope,
  sql: Sql,
  id: string,
  targetId: string,
  at: Date,
): Promise<void> {
  await sql.query(
    `update experiments set target_id = $3, requested_target = null, updated_at = $4
     where organization_id = $1 and id = $2`,
    [scope.organizationId, id, targetId, at],
  );
}

export async function setResultsStatus(
  scope: Scope,
  sql: Sql,
  id: string,
  resultsStatus: 'none' | 'partial' | 'all',
): Promise<void> {
  await sql.query(
    `update experiments set results_status = $3 where ($1::uuid is null or organization_id = $1) and id = $2`,
    [getOrganizationId(scope), id, resultsStatus],
  );
}

/**
 * Deletes an experiment and lowers the stored count in one statement. Lists read the sum of all series, so the series
 * does not matter.
 */
export async function deleteExperiment(scope: OrganizationScope, sql: Sql, id: string): Promise<void> {
  await sql.query(
    `with gone as (delete from experiments where organization_id = $1 and id = $2 returning id)
     update experiment_counters set live_count = live_count - (select count(*) from gone)
     where organization_id = $1
       and series = (select series from experiment_counters where organization_id = $1 order by live_count desc limit 1)`,
    [scope.organizationId, id],
  );
}

/** Recomputes the stored count, for rows that were not written by this store. */
export async function recountExperiments(scope: OrganizationScope, sql: Sql): Promise<void> {
  await sql.query(`update experiment_counters set live_count = 0 where organization_id = $1`, [
    scope.organizationId,
  ]);
  await sql.query(
    ...insertOwned(
      scope,
      'experiment_counters',
      {
        series: 1,
        last_number: countOfAll(scope),
        live_count: countOfAll(scope),
      },
      'on conflict (organization_id, series) do update set live_count = excluded.live_count',
    ),
  );
}

function countOfAll({ organizationId }: OrganizationScope) {
  return expression`(select count(*) from experiments where organization_id = ${organizationId})`;
}

/** Names of experiments from which a person chooses. */
export interface NamedExperiment {
  readonly code: string;
  readonly name: string;
}

/** The newest experiments of an organization. */
export async function selectNewestExperiments(
  scope: OrganizationScope,
  sql: Sql,
  limit: number,
): Promise<NamedExperiment[]> {
  return sql.query<NamedExperiment>(
    `select code, name from experiments where organization_id = $1 order by created_at desc, id desc limit $2`,
    [scope.organizationId, limit],
  );
}

/** Those of the codes that belong to an experiment of the organization. */
export async function selectCodes(
  scope: OrganizationScope,
  sql: Sql,
  codes: readonly string[],
): Promise<string[]> {
  const rows = await sql.query<{ code: string }>(
    `select code from experiments where organization_id = $1 and code = any($2::text[])`,
    [scope.organizationId, codes],
  );
  return rows.map((row) => row.code);
}

/** Secrets that sign the deliveries to the address of an experiment. */
interface KeptSecret {
  /** As it was kept before secrets were sealed. */
  readonly webhook_secret: string | null;
  readonly sealed_webhook_secret: string | null;
}

export async function selectWebhookSecret(scope: Scope, sql: Sql, experimentId: string): Promise<KeptSecret> {
  return getExactlyOne(
    await sql.query<KeptSecret>(
      `select webhook_secret, sealed_webhook_secret from experiments
       where ($1::uuid is null or organization_id = $1) and id = $2`,
      [getOrganizationId(scope), experimentId],
    ),
  );
}

export async function setWebhookSecret(
  scope: Scope,
  sql: Sql,
  experimentId: string,
  sealed: string | null,
): Promise<void> {
  await sql.query(
    `update experiments set sealed_webhook_secret = $3, webhook_secret = null
     where ($1::uuid is null or organization_id = $1) and id = $2`,
    [getOrganizationId(scope), experimentId, sealed],
  );
}

/** Holds experiments whose secret is not sealed, until the transaction ends. */
export function lockPlainSecrets(
  _lab: LabScope,
  tx: Transaction,
  limit: number,
): Promise<{ readonly id: string; readonly webhook_secret: string }[]> {
  return tx.query(
    `select id, webhook_secret from experiments where webhook_secret is not null
     order by id limit $1 for update skip locked`,
    [limit],
  );
}
