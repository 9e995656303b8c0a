/** Opens the database of the settings for a command; a failure becomes one sentence. */
import type { Logger } from 'pino';
import { openDatabase } from '#composition/database-parts.ts';
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
