/** Opens the database of the settings and applies the migrations. */
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '#core/package-root.ts';
import type { Logger } from 'pino';
import type { DatabaseConnection, ServerConnection } from '#adapters/postgres/connection.ts';
import { findRunningServer, startEmbedded, type EmbeddedPostgres } from '#adapters/postgres/embedded.ts';
import { migrate, requireMigrated } from '#adapters/postgres/migrate.ts';
import type { Settings } from '#settings/settings.ts';

export const migrationsDirectory = fileURLToPath(new URL('migrations', ROOT));

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

/**
 * The embedded database of a service that runs on this machine, with the schema that this code knows; undefined when
 * none runs, or when the settings name another server.
 */
export async function findRunningDatabase(settings: Settings): Promise<ServerConnection | undefined> {
  const connection = await findRunningConnection(settings);
  if (connection === undefined) return undefined;
  await requireMigrated({ connection, directory: migrationsDirectory });
  return connection;
}

/**
 * Applies missing migrations to the embedded database of a service that runs on this machine, which goes on with the
 * schema that it knows, as it does beside a newer process on one server. Returns their file names; undefined when no
 * such service runs.
 */
export async function migrateRunningDatabase(settings: Settings): Promise<string[] | undefined> {
  const connection = await findRunningConnection(settings);
  return connection === undefined ? undefined : migrate({ connection, directory: migrationsDirectory });
}

async function findRunningConnection(settings: Settings): Promise<ServerConnection | undefined> {
  if (settings.databaseUrl !== null) return undefined;
  return (await findRunningServer(formatEmbeddedPath(settings), formatDatabaseName(settings)))?.connection;
}

/** Whether there is a database already, as far as that can be told without opening it. */
export function hasDatabase(settings: Settings): boolean {
  return settings.databaseUrl !== null || existsSync(formatEmbeddedPath(settings));
}

function formatEmbeddedPath({ dataDir }: Settings): string {
  return join(resolve(dataDir), 'postgres');
}

function formatDatabaseName({ environment }: Settings): string {
  return `assayer_${environment}`;
}

function startEmbeddedIn(settings: Settings, log: Logger): Promise<EmbeddedPostgres> {
  mkdirSync(resolve(settings.dataDir), { recursive: true });
  return startEmbedded({
    dataDir: formatEmbeddedPath(settings),
    database: formatDatabaseName(settings),
    log: (message: string) => log.info(message),
  });
}
