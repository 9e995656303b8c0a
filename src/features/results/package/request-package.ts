/** A package is wanted: it is kept already, or a job makes it. */
import { MAKE_PACKAGE, MAKE_SMALL_PACKAGE, JOB_DEATHS_MAX } from '../../jobs/rules.ts';
import type { Work } from '#core/context.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { fail, type Failure } from '#core/failures.ts';
import type { Sql, Transaction } from '#core/sql.ts';
import { resetPackage, recordPackage, type PackageRow } from './store.ts';
import type { ExperimentRow } from '../../experiments/store.ts';
import { enqueue, findDeaths } from '../../jobs/store.ts';
import { computePackageVersion, getAudienceScope, type PackageVersion } from './package-version.ts';

/** Time after which a package that could not be made is tried once more. */
const FAILED_KEPT_MS = 10 * 60_000;

/** Staff need about an hour to see the notice. */
const PUT_ASIDE_RETRY_S = 3_600;

/** Packages of so few results take seconds and little memory, and do not wait for those that take minutes. */
const SMALL_RESULTS_MAX = 100;

/** Builds the failure of a package that could not be made: it is tried again in a while, or staff have to start it. */
export async function createPackageFailure(
  sql: Sql,
  { id, failed_at: failedAt }: Pick<PackageRow, 'id' | 'failed_at'>,
  now: Date,
): Promise<Failure> {
  if ((await findDeaths(sql, writeJobKey(id))) >= JOB_DEATHS_MAX) {
    const advice =
      'It ended the service more than once, so that the lab, which was told, has to start it again. Write to the lab if you need it soon.';
    return fail('data_package_failed', { advice, retry_after: PUT_ASIDE_RETRY_S });
  }
  const failedMs = failedAt === null ? now.getTime() : Date.parse(failedAt);
  const seconds = Math.max(1, Math.ceil((failedMs + FAILED_KEPT_MS - now.getTime()) / 1_000));
  const advice = `Ask again in ${seconds} seconds; if it fails again, write to the lab.`;
  return fail('data_package_failed', { advice, retry_after: seconds });
}

const writeJobKey = (packageId: string): string => `${MAKE_PACKAGE}:${packageId}`;

/**
 * Records the wish for this version, and enqueues its job unless it is made or has failed lately. One whose making ended
 * the service too often stays failed until staff try its job again or another version is the current one.
 */
export async function requestPackage(
  { clock, ids }: Pick<Work, 'clock' | 'ids'>,
  tx: Transaction,
  experiment: Pick<ExperimentRow, 'organization_id'>,
  version: PackageVersion,
): Promise<PackageRow> {
  const now = clock.now();
  const { organization_id: organizationId } = experiment;
  const scope = createOrganizationScope(organizationId);
  const row = await recordPackage(scope, tx, { ...version, id: ids.createUuid() }, now);
  if (row.made_at !== null) return row;
  const uniqueKey = writeJobKey(row.id);
  const deaths = row.failed_at === null ? 0 : await findDeaths(tx, uniqueKey);
  if (row.failed_at !== null) {
    if (now.getTime() - Date.parse(row.failed_at) < FAILED_KEPT_MS || deaths >= JOB_DEATHS_MAX) return row;
    await resetPackage(scope, tx, row.id);
  }
  const kind = version.results_total <= SMALL_RESULTS_MAX ? MAKE_SMALL_PACKAGE : MAKE_PACKAGE;
  const job = { kind, payload: { package_id: row.id }, dueAt: now };
  const owner = getAudienceScope(version.audience, organizationId);
  await enqueue(owner, tx, { ...job, uniqueKey, deaths }, now);
  return { ...row, failed_at: null };
}

/** Where packages are made as soon as results are released, the client finds them ready. */
export async function requestReleasedPackage(
  { site, ...work }: Work,
  tx: Transaction,
  experiment: ExperimentRow,
): Promise<void> {
  if (!site.makesPackagesAtRelease) return;
  const scope = createOrganizationScope(experiment.organization_id);
  const version = await computePackageVersion(tx, site, scope, experiment);
  if (version.released_at !== null) await requestPackage(work, tx, experiment, version);
}
