/** Opens the database of the settings for a command; a failure becomes one sentence. */
import type { Logger } from 'pino';
import type { DatabaseConnection } from '#adapters/postgres/connection.ts';
import { findRunningDatabase, openDatabase } from '#composition/database-parts.ts';
import type { Settings } from '#settings/settings.ts';
import { requireDataDirectory } from './data-directory.ts';
import { explainDatabase } from './database-failures.ts';

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
