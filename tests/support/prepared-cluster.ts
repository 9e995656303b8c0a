/**
 * The files of a durable PostgreSQL with all migrations, made once for a run of many files. A process of the service
 * that finds a copy of them in its data directory starts in half the time of a first start.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbedded } from '#adapters/postgres/embedded.ts';
import { migrate } from '#adapters/postgres/migrate.ts';

/** Names the directory of the files, for the processes of one test run. */
export const PREPARED_CLUSTER_VARIABLE = 'ASSAYER_PREPARED_CLUSTER';
/** What a process names the database of its own server. */
export const OWN_DATABASE = 'assayer_sandbox';
const MIGRATIONS = join(import.meta.dirname, '..', '..', 'migrations');

/** Makes the files in a directory, and answers where they are. */
export async function prepareCluster(directory: string): Promise<string> {
  const postgres = await startEmbedded({ dataDir: directory, database: OWN_DATABASE, log: () => undefined });
  try {
    await migrate({ connection: postgres.connection, directory: MIGRATIONS });
  } finally {
    await postgres.stop();
  }
  return join(directory, 'cluster');
}

/** Gives a new data directory a copy, which keeps the owner of the files; does nothing in a run without them. */
export function copyPreparedCluster(dataDir: string): void {
  const prepared = process.env[PREPARED_CLUSTER_VARIABLE];
  const cluster = join(dataDir, 'cluster');
  if (prepared === undefined || existsSync(cluster)) return;
  mkdirSync(dataDir, { recursive: true });
  execFileSync('cp', ['-a', prepared, cluster]);
}
