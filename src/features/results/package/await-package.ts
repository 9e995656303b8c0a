/** Finds the kept archive of what a reader may see, or has it made and waits for it within a limit. */
import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { DAY_MS } from '#core/clock.ts';
import type { Work } from '#core/context.ts';
import { fail, type Failure } from '#core/failures.ts';
import { labScope, type Scope } from '#core/scope.ts';
import type { Database, Sql } from '#core/sql.ts';
import { findPackage, findPackageById, resetPackage, updatePackageAsked, type PackageRow } from './store.ts';
import { findExperiment, type ExperimentRow } from '../../experiments/store.ts';
import type { PackageMaker } from './make-package.ts';
import { computePackageVersion, type PackageVersion } from './package-version.ts';
import { createPackageFailure, requestPackage } from './request-package.ts';

export interface PackageFile {
  /** On this machine. */
  readonly path: string;
  readonly fileName: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly releasedAt: Date;
}

export interface PackageTools extends Pick<Work, 'clock' | 'ids' | 'site'> {
  readonly database: Database;
  readonly packages: PackageMaker;
  /** Has the worker of this process look for jobs now. */
  readonly wakeWorker: () => void;
}

interface Wait {
  readonly limitMs: number;
  /** Aborted when the client goes. */
  readonly signal: AbortSignal;
  /** Called before a wait, not for a package that is kept; the function it returns is called in the end. */
  readonly takePlace?: () => () => void;
}

/** Most packages of a few results are made within the first looks; those of thousands take minutes. */
const LOOK_FIRST_MS = 40;
const LOOK_LAST_MS = 1_000;
const LOOK_GROWTH = 1.3;
/** Looks between two that also compare the version, which reads every result: in the end one every four seconds. */
const LOOKS_PER_VERSION = 4;
/** Seconds after which a program that found the package unfinished may ask again. */
const RETRY_AFTER_S = 10;

/**
 * Returns the archive of the newest version that the scope may read; where that changes meanwhile, the archive of the
 * new one. Throws `data_package_not_ready` with the progress after the limit, `data_package_failed`,
 * `experiment_not_found` or `results_not_released`.
 */
export async function awaitPackage(
  tools: PackageTools,
  scope: Scope,
  idOrCode: string,
  wait: Wait,
): Promise<PackageFile> {
  const { database, clock, site } = tools;
  const endMs = clock.readMonotonicMs() + wait.limitMs;
  let givePlaceBack: (() => void) | undefined;
  try {
    for (;;) {
      const { experiment, version } = await requireVersion(database.read, site, scope, idOrCode);
      const kept = await findKept(tools, scope, experiment, version);
      if (kept !== undefined) return kept;
      if (wait.limitMs > 0) givePlaceBack ??= wait.takePlace?.();
      const row = await requestMaking(tools, scope, experiment, version);
      tools.wakeWorker();
      const isCurrent = async (): Promise<boolean> => {
        const now = await requireVersion(database.read, site, scope, idOrCode);
        return now.version.version_key === version.version_key;
      };
      await waitUntilSettled(tools, row, { endMs, signal: wait.signal, isCurrent });
    }
  } finally {
    givePlaceBack?.();
  }
}

async function requestMaking(
  tools: PackageTools,
  scope: Scope,
  experiment: ExperimentRow,
  version: PackageVersion,
): Promise<PackageRow> {
  return tools.database.runTransaction(async (tx) => {
    const made = await findPackage(scope, tx, version);
    // Its row says that it is made, and its file is missing: somebody removed it, or restored the database alone.
    if (made !== undefined && made.made_at !== null) await resetPackage(scope, tx, made.id);
    return requestPackage(tools, tx, experiment, version);
  });
}

/** Throws `experiment_not_found` or `results_not_released`. */
export async function requireVersion(
  read: Sql,
  site: Work['site'],
  scope: Scope,
  idOrCode: string,
): Promise<{ experiment: ExperimentRow; version: PackageVersion & { readonly released_at: Date } }> {
  const experiment = await findExperiment(scope, read, idOrCode);
  if (experiment === undefined) throw fail('experiment_not_found');
  const version = await computePackageVersion(read, site, scope, experiment);
  const { released_at: releasedAt } = version;
  if (releasedAt === null) throw fail('results_not_released');
  return { experiment, version: { ...version, released_at: releasedAt } };
}

async function findKept(
  { clock, database, packages }: PackageTools,
  scope: Scope,
  { code }: ExperimentRow,
  version: PackageVersion,
): Promise<PackageFile | undefined> {
  const row = await findPackage(scope, database.read, version);
  if (row === undefined || row.sha256 === null || row.size_bytes === null) return undefined;
  if (version.released_at === null) return undefined;
  const path = await packages.blobs.locate(row.sha256);
  const size = await stat(path).then(
    (file) => file.size,
    () => null,
  );
  if (size !== row.size_bytes) return undefined;
  // Once a day is enough for what is kept for a month.
  if (clock.now().getTime() - Date.parse(row.asked_at) > DAY_MS)
    await updatePackageAsked(scope, database.read, row.id, clock.now());
  const { sha256, size_bytes: sizeBytes } = row;
  return { path, fileName: `${code}.zip`, sha256, sizeBytes, releasedAt: version.released_at };
}

/** Looks until the package is made or another version is the current one, ever more rarely, within a limit. */
async function waitUntilSettled(
  { database, clock }: PackageTools,
  row: PackageRow,
  {
    endMs,
    signal,
    isCurrent,
  }: Pick<Wait, 'signal'> & { readonly endMs: number; readonly isCurrent: () => Promise<boolean> },
): Promise<void> {
  let pauseMs = LOOK_FIRST_MS;
  for (let look = 1; ; look += 1) {
    const now = await findPackageById(labScope, database.read, row.id);
    if (now !== undefined && now.made_at !== null) return;
    if (now !== undefined && now.failed_at !== null)
      throw await createPackageFailure(database.read, now, clock.now());
    const restMs = endMs - clock.readMonotonicMs();
    if (restMs <= 0 || signal.aborted) throw createNotReadyFailure(now ?? row);
    if (now === undefined || now.superseded_at !== null) return;
    if (look % LOOKS_PER_VERSION === 0 && !(await isCurrent())) return;
    await pause(Math.min(pauseMs, restMs));
    pauseMs = Math.min(LOOK_LAST_MS, pauseMs * LOOK_GROWTH);
  }
}

function createNotReadyFailure({ results_done: done, results_total: total }: PackageRow): Failure {
  const extra = { results_done: done, results_total: total };
  return fail(
    'data_package_not_ready',
    { done, total, retry_after: RETRY_AFTER_S },
    { extra, settlesItself: true },
  );
}
