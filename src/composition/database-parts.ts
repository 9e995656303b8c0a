/** Opens the database of the settings and applies the migrations. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { DatabaseConnection } from '#adapters/postgres/connection.ts';
import { startEmbedded, type EmbeddedPostgres } from '#adapters/postgres/embedded.ts';
import { migrate } from '#adapters/postgres/migrate.ts';
import type { Settings } from '#settings/settings.ts';

export const migrationsDirectory = fileURLToPath(new URL('../../migrations', import.meta.url));

export async function openDatabase(
  settings: Settings,
  log: Logger,
  limits: { readonly connectTimeoutMs?: number } = {},
): Promise<{ connection: DatabaseConnection; embedded: EmbeddedPostgres | null; migrated: string[] }> {
  const embedded = settings.databaseUrl === null ? await startEmbeddedIn(settings, log) : null;
  const connection = embedded?.connection ?? { connectionString: settings.databaseUrl ?? '' };
  try {
    const migrated = await migrate({ connection, directory: migrationsDirectory, ...limits });
    return { connection, embedded, migrated };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

function startEmbeddedIn(settings: Settings, log: Logger): Promise<EmbeddedPostgres> {
  const dataDir = join(resolve(settings.dataDir), 'postgres');
  mkdirSync(resolve(settings.dataDir), { recursive: true });
  return startEmbedded({
    dataDir,
    database: `assayer_${settings.environment}`,
    log: (message: string) => log.info(message),
  });
}
