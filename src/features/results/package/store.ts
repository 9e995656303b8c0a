/** Data packages that were asked for: being made, kept, or given up. */
import { getFirst, type Sql } from '#core/sql.ts';
import { getOrganizationId, type LabScope, type OrganizationScope, type Scope } from '#core/scope.ts';
import { insertOwned } from '#core/write-rows.ts';

export type Audience = 'client' | 'lab';

export interface PackageRow {
  readonly id: string;
  readonly organization_id: string;
  readonly experiment_id: string;
  readonly audience: Audience;
  readonly version_key: string;
  readonly results_total: number;
  readonly results_done: number;
  readonly sha256: string | null;
  /** Null before the archive is made, as its digest. */
  readonly size_bytes: number | null;
  readonly asked_at: string;
  readonly made_at: string | null;
  readonly failed_at: string | null;
  /** Since when another version is the current one. */
  readonly superseded_at: string | null;
}

const COLUMNS = `id, organization_id, experiment_id, audience, version_key, results_total, results_done, sha256, size_bytes, asked_at, made_at, failed_at, superseded_at`;

/** What a package is of. */
export interface PackageSubject {
  readonly experiment_id: string;
  readonly audience: Audience;
  readonly version_key: string;
}

export async function findPackage(
  scope: Scope,
  sql: Sql,
  { experiment_id: experimentId, audience, version_key: versionKey }: PackageSubject,
): Promise<PackageRow | undefined> {
  const rows = await sql.query<PackageRow>(
    `select ${COLUMNS} from data_packages where ($1::uuid is null or organization_id = $1)
       and experiment_id = $2 and audience = $3 and version_key = $4`,
    [getOrganizationId(scope), experimentId, audience, versionKey],
  );
  return getFirst(rows);
}

export async function findPackageById(
  scope: LabScope,
  sql: Sql,
  id: string,
): Promise<PackageRow | undefined> {
  const rows = await sql.query<PackageRow>(
    `select ${COLUMNS} from data_packages where ($1::uuid is null or organization_id = $1) and id = $2`,
    [getOrganizationId(scope), id],
  );
  return getFirst(rows);
}

export interface WantedPackage extends PackageSubject {
  readonly id: string;
  readonly results_total: number;
}

/** Records that this version is the current one and wanted, and returns it; the others of its experiment are superseded. */
export async function recordPackage(
  scope: OrganizationScope,
  sql: Sql,
  wanted: WantedPackage,
  at: Date,
): Promise<PackageRow> {
  await sql.query(
    `update data_packages set superseded_at = $5 where organization_id = $1 and experiment_id = $2 and audience = $3
       and version_key <> $4 and superseded_at is null`,
    [scope.organizationId, wanted.experiment_id, wanted.audience, wanted.version_key, at],
  );
  const rows = await sql.query<PackageRow>(
    ...insertOwned(
      scope,
      'data_packages',
      {
        id: wanted.id,
        experiment_id: wanted.experiment_id,
        audience: wanted.audience,
        version_key: wanted.version_key,
        results_total: wanted.results_total,
        created_at: at,
        asked_at: at,
      },
      `on conflict (experiment_id, audience, version_key)
         do update set asked_at = excluded.asked_at, superseded_at = null returning ${COLUMNS}`,
    ),
  );
  const row = getFirst(rows);
  if (row === undefined) throw new Error('an upsert returned no row');
  return row;
}

/** Notes that a kept package was asked for, which keeps it longer. */
export async function updatePackageAsked(scope: Scope, sql: Sql, id: string, at: Date): Promise<void> {
  await sql.query(
    `update data_packages set asked_at = $3 where ($1::uuid is null or organization_id = $1) and id = $2`,
    [getOrganizationId(scope), id, at],
  );
}

/** A package whose making begins anew: nothing is done of it yet. */
export async function resetPackage(scope: Scope, sql: Sql, id: string): Promise<void> {
  await sql.query(
    `update data_packages set results_done = 0, sha256 = null, size_bytes = null, made_at = null, failed_at = null
     where ($1::uuid is null or organization_id = $1) and id = $2`,
    [getOrganizationId(scope), id],
  );
}

export async function updatePackageProgress(
  scope: LabScope,
  sql: Sql,
  id: string,
  resultsDone: number,
): Promise<void> {
  await sql.query(
    `update data_packages set results_done = $3
     where ($1::uuid is null or organization_id = $1) and id = $2 and made_at is null`,
    [getOrganizationId(scope), id, resultsDone],
  );
}

export interface MadePackage {
  readonly sha256: string;
  readonly sizeBytes: number;
}

export async function completePackage(
  scope: LabScope,
  sql: Sql,
  id: string,
  { sha256, sizeBytes }: MadePackage,
  at: Date,
): Promise<void> {
  await sql.query(
    `update data_packages set sha256 = $3, size_bytes = $4, made_at = $5, failed_at = null, results_done = results_total
     where ($1::uuid is null or organization_id = $1) and id = $2`,
    [getOrganizationId(scope), id, sha256, sizeBytes, at],
  );
}

export async function failPackage(scope: LabScope, sql: Sql, id: string, at: Date): Promise<void> {
  await sql.query(
    `update data_packages set failed_at = $3 where ($1::uuid is null or organization_id = $1) and id = $2 and made_at is null`,
    [getOrganizationId(scope), id, at],
  );
}

export interface PackageCutoffs {
  /** Versions that were superseded before. */
  readonly supersededBefore: Date;
  /** Packages that nobody asked for since. */
  readonly askedBefore: Date;
  /** Bytes that all kept packages may have together; of more, those that were asked for longest ago go. */
  readonly bytesMax: number;
}

/** Whether a package has an archive of these bytes. */
export async function isArchiveKept(scope: LabScope, sql: Sql, sha256: string): Promise<boolean> {
  const rows = await sql.query(
    'select id from data_packages where ($1::uuid is null or organization_id = $1) and sha256 = $2 limit 1',
    [getOrganizationId(scope), sha256],
  );
  return rows.length > 0;
}

/** Deletes packages that are past their time, at most `limit`, and returns the digests of archives that none has any more. */
export async function deleteSpentPackages(
  scope: LabScope,
  sql: Sql,
  { supersededBefore, askedBefore, bytesMax }: PackageCutoffs,
  limit: number,
): Promise<string[]> {
  const rows = await sql.query<{ sha256: string }>(
    `with sized as (
       select id, sha256, superseded_at, asked_at, coalesce(sum(size_bytes) over (order by asked_at desc, id), 0) as bytes
       from data_packages where ($1::uuid is null or organization_id = $1)),
     spent as (select id from sized where superseded_at < $2 or asked_at < $3 or (bytes > $4 and sha256 is not null) limit $5),
     gone as (delete from data_packages p using spent where p.id = spent.id returning p.id, p.sha256)
     select distinct sha256 from gone where sha256 is not null and not exists (
       select 1 from data_packages kept where kept.sha256 = gone.sha256 and kept.id not in (select id from gone))`,
    [getOrganizationId(scope), supersededBefore, askedBefore, bytesMax, limit],
  );
  return rows.map(({ sha256 }) => sha256);
}
