/** The job that makes a data package, and the chore that deletes spent ones. */
import type { Blobs } from '#core/blobs.ts';
import { addMs, DAY_MS } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { labScope, type Scope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import {
  completePackage,
  deleteSpentPackages,
  failPackage,
  findPackageById,
  isArchiveKept,
  resetPackage,
  updatePackageProgress,
  type MadePackage,
} from './store.ts';
import { findExperiment, type ExperimentRow } from '../../experiments/store.ts';
import { computePackageVersion, getAudienceScope, type PackageVersion } from './package-version.ts';
import { requestPackage } from './request-package.ts';

export interface PackageOrder {
  /** Owns the half archive on disk until it is whole. */
  readonly packageId: string;
  readonly scope: Scope;
  readonly experimentId: string;
  readonly onProgress: (resultsDone: number) => void;
}

/** Makes packages apart from the thread that serves requests, and keeps them. */
export interface PackageMaker {
  make(order: PackageOrder): Promise<MadePackage>;
  readonly blobs: Pick<Blobs, 'locate' | 'remove' | 'dropStaged'>;
}

interface Ports {
  readonly database: Database;
  readonly packages: PackageMaker;
}

/** Between two times that the progress is written, and a waiting page or program hears of it. */
const PROGRESS_EVERY_MS = 500;

/**
 * Makes the package of a row. Where its results changed meanwhile the archive would be of two versions, so it is thrown
 * away and the new version made instead. Only a complete archive is kept, so a job that died begins anew; its lease says
 * that nobody else still writes the half that is left.
 */
export async function makePackage(
  work: Work,
  { database, packages }: Ports,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const id = String(payload.package_id);
  await packages.blobs.dropStaged(id);
  const row = await findPackageById(labScope, database.read, id);
  if (row === undefined || row.made_at !== null) return;
  // Staff try it again: who asks meanwhile reads that it is made.
  if (row.failed_at !== null) await resetPackage(labScope, database.read, id);
  const scope = getAudienceScope(row.audience, row.organization_id);
  const experiment = await findExperiment(scope, database.read, row.experiment_id);
  if (experiment === undefined) return;
  const before = await computePackageVersion(database.read, work.site, scope, experiment);
  if (before.version_key !== row.version_key) return requestInstead(work, database, experiment, before);
  const progress = createProgressWriter(work, database, id);
  const made = await packages.make({
    packageId: id,
    scope,
    experimentId: row.experiment_id,
    onProgress: (done) => progress.write(done),
  });
  await progress.settle();
  const again = await findExperiment(scope, database.read, row.experiment_id);
  const after = again && (await computePackageVersion(database.read, work.site, scope, again));
  if (again === undefined || after?.version_key !== row.version_key) {
    // The archive may have the bytes of one that is kept.
    if (!(await isArchiveKept(labScope, database.read, made.sha256)))
      await packages.blobs.remove(made.sha256);
    if (again !== undefined && after !== undefined) await requestInstead(work, database, again, after);
    return;
  }
  await completePackage(labScope, database.read, id, made, work.clock.now());
}

/** Who waits for a version that nobody will see any more gets the current one. */
async function requestInstead(
  work: Work,
  database: Database,
  experiment: ExperimentRow,
  version: PackageVersion,
): Promise<void> {
  if (version.released_at === null) return;
  await database.runTransaction((tx) => requestPackage(work, tx, experiment, version));
}

/** One write at a time, and the newest number in each. */
function createProgressWriter({ clock }: Work, { read }: Database, id: string) {
  let writing = Promise.resolve();
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    write(resultsDone: number): void {
      if (clock.readMonotonicMs() - lastMs < PROGRESS_EVERY_MS) return;
      lastMs = clock.readMonotonicMs();
      // A number that cannot be written is followed by the next one.
      writing = updatePackageProgress(labScope, read, id, resultsDone).catch(() => undefined);
    },
    settle: () => writing,
  };
}

/** The job was given up: who waits for the package is told, and nothing of it stays on disk. */
export async function recordFailedPackage(
  { clock }: Work,
  { packages }: Pick<Ports, 'packages'>,
  tx: Transaction,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  const id = String(payload.package_id);
  await packages.blobs.dropStaged(id);
  await failPackage(labScope, tx, id, clock.now());
}

/** A download of a superseded version may still be resumed. */
const SUPERSEDED_KEPT_MS = 3 * DAY_MS;
/** A package can be made again at any time. */
const UNASKED_KEPT_MS = 30 * DAY_MS;
/** Of all kept packages together. */
const KEPT_BYTES_MAX = 20 * 1024 ** 3;
const DELETED_AT_ONCE = 100;

export async function deleteOldPackages({ clock }: Work, { database, packages }: Ports): Promise<void> {
  const now = clock.now();
  const cutoffs = {
    supersededBefore: addMs(now, -SUPERSEDED_KEPT_MS),
    askedBefore: addMs(now, -UNASKED_KEPT_MS),
    bytesMax: KEPT_BYTES_MAX,
  };
  const digests = await deleteSpentPackages(labScope, database.read, cutoffs, DELETED_AT_ONCE);
  // A crash here leaves a file that no row names; the next version of the same bytes takes it over.
  for (const sha256 of digests) await packages.blobs.remove(sha256);
}
