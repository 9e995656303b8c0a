/** Explains to the operator why the database cannot be used, in one sentence without the password of its address. */
import { getErrorMessage } from '#core/records.ts';
import { EmbeddedPostgresError } from '#adapters/postgres/embedded/errors.ts';
import { UnsuitableServerError } from '#adapters/postgres/durability.ts';
import {
  describeServerFailure,
  findPath,
  isAlmostFull,
  isOfFullDatabase,
  isOutOfRoom,
} from '#adapters/postgres/failure-causes.ts';
import { MigrationError } from '#adapters/postgres/migrate.ts';
import { DatabaseUnavailableError } from '#core/sql.ts';
import type { Settings } from '#settings/settings.ts';
import { CommandError } from './command-error.ts';
import { resolve, sep } from 'node:path';

/** Converts an error of opening the database to a sentence; returns any other error unchanged. */
export function explainDatabase(error: unknown, { databaseUrl, dataDir }: Settings): unknown {
  if (error instanceof CommandError) return error;
  const fullDisk = explainFullDisk(error, { databaseUrl, dataDir });
  if (fullDisk !== undefined) return fullDisk;
  if (error instanceof EmbeddedPostgresError || error instanceof MigrationError)
    return new CommandError(error.message);
  if (databaseUrl === null) return explainEmbedded(error, dataDir);
  if (error instanceof UnsuitableServerError) return new CommandError(`DATABASE_URL: ${error.message}`);
  const cause = error instanceof DatabaseUnavailableError ? error.cause : error;
  if (isAboutFiles(cause))
    return new CommandError(`DATABASE_URL: ${getErrorMessage(cause)}; correct the path.`);
  const { address, reason } = describeServerFailure(cause, databaseUrl);
  if (reason !== undefined) return new CommandError(`DATABASE_URL: ${reason}.`);
  if (!(error instanceof DatabaseUnavailableError)) return error;
  return new CommandError(`DATABASE_URL: the server at ${address} cannot be used now; try again.`);
}

function explainEmbedded(error: unknown, dataDir: string): unknown {
  if (
    error instanceof DatabaseUnavailableError ||
    error instanceof UnsuitableServerError ||
    isAboutFiles(error)
  )
    return new CommandError(
      `The embedded database in DATA_DIR ${dataDir} cannot be used: ${getErrorMessage(error)}; its log is postgres/postgres.log there.`,
    );
  return error;
}

/** True for errors about files: of the data directory, or a certificate that the address names. */
function isAboutFiles(error: unknown): boolean {
  return error instanceof Error && 'path' in error && 'syscall' in error && error.syscall !== 'connect';
}

const NEEDED_AT_FIRST = '200 MB';

/** Undefined where the error has another cause. */
export function explainFullDisk(
  error: unknown,
  { dataDir, databaseUrl }: Pick<Settings, 'dataDir' | 'databaseUrl'>,
): CommandError | undefined {
  const directory = resolve(dataDir);
  if (databaseUrl !== null && isOfFullDatabase(error))
    return new CommandError(
      'DATABASE_URL: the disk of this server is full; make room on it and start again.',
      1,
      { cause: error },
    );
  const isRefused = isOutOfRoom(error);
  // A database that ends because of its disk leaves a lost connection, which says nothing about the cause.
  if (!isRefused && (databaseUrl !== null || !isAlmostFull(directory))) return undefined;
  const path = findPath(error);
  if (path !== undefined && !`${path}${sep}`.startsWith(`${directory}${sep}`))
    return new CommandError(
      `${path} cannot be written: its disk, or the quota of this user, is full; make room there and start again.`,
      1,
      { cause: error },
    );
  return new CommandError(
    `DATA_DIR ${directory}: its disk, or the quota of this user, is full; make room there (a new service needs ${NEEDED_AT_FIRST}), or name a directory on another disk.`,
    1,
    { cause: error },
  );
}
