/** Opens the database of the settings for a command of an operator; a failure becomes one sentence. */
import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { createDatabase } from '#adapters/postgres/pool.ts';
import { systemClock } from '#core/clock.ts';
import { createIds } from '#core/ids.ts';
import type { Database } from '#core/sql.ts';
import type { Operator } from '#features/installation/operator.ts';
import { createSystemSources } from '#composition/system-sources.ts';
import type { Logger } from 'pino';
import type { DatabaseConnection } from '#adapters/postgres/connection.ts';
import { findRunningDatabase, hasDatabase, openDatabase } from '#composition/database-parts.ts';
import type { Settings } from '#settings/settings.ts';
import { CommandError } from './command-error.ts';
import { readSettingsWith, requireDataDirectory } from './data-directory.ts';
import { explainDatabase } from './database-failures.ts';

const STATEMENT_LIMIT_MS = 600_000;

export async function openOrExplain(
  settings: Settings,
  log: Logger,
  limits: Parameters<typeof openDatabase>[2] = {},
): Promise<Awaited<ReturnType<typeof openDatabase>>> {
  if (settings.databaseUrl === null) requireDataDirectory(settings.dataDir);
  try {
    return await openDatabase(settings, log, limits);
  } catch (error) {
    throw explainDatabase(error, settings);
  }
}

/**
 * Runs one action of the operator on the database of the settings. The embedded database of a running service is used
 * where it is; where none runs, it is started for the action and stopped afterwards.
 */
export async function withOpenDatabase<T>(
  settings: Settings,
  log: Logger,
  act: (connection: DatabaseConnection) => Promise<T>,
): Promise<T> {
  try {
    const running = await findRunningDatabase(settings);
    if (running !== undefined) return await act(running);
    const { connection, embedded } = await openOrExplain(settings, log);
    try {
      return await act(connection);
    } finally {
      await embedded?.stop();
    }
  } catch (error) {
    throw explainDatabase(error, settings);
  }
}

/** Creates the operator's account and machine, for the audit trail. */
export function createOperator(): Operator {
  return {
    clock: systemClock,
    ids: createIds(systemClock),
    actor: { actorKind: 'operator', actor: getAccountName(), origin: { address: hostname() } },
  };
}

/** An account of a container may have a number and no name. */
function getAccountName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'operator';
  }
}

/** Reads a database that is there already: a new one has nothing to check, and would look as if all were well. */
export async function withKeptDatabase<T>(
  dataDir: string | undefined,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const settings = readOperatorSettings(dataDir);
  if (!hasDatabase(settings))
    throw new CommandError(
      `DATA_DIR ${resolve(settings.dataDir)} holds no database. Give the directory of the service by --data-dir, or its database by DATABASE_URL.`,
    );
  return useDatabase(settings, work);
}

/** Opens the database of this environment for one action of the operator, also while the service runs. */
export async function withDatabase<T>(
  dataDir: string | undefined,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  return useDatabase(readOperatorSettings(dataDir), work);
}

const readOperatorSettings = (dataDir: string | undefined): Settings =>
  readSettingsWith({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' });

async function useDatabase<T>(settings: Settings, work: (database: Database) => Promise<T>): Promise<T> {
  return withOpenDatabase(settings, createSystemSources(settings).log, async (connection) => {
    const database = createDatabase({ connection, max: 2, statementTimeoutMs: STATEMENT_LIMIT_MS });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  });
}
