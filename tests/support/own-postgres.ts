/**
 * A PostgreSQL server of a test's own, for processes of the service: the one that the other tests share does not write
 * through, and a service refuses that.
 */
import { join } from 'node:path';
import { startEmbedded } from '#adapters/postgres/embedded.ts';
import type { DatabaseConnection } from '#adapters/postgres/connection.ts';
import { createDatabase, type PostgresDatabase } from '#adapters/postgres/pool.ts';
import { copyPreparedCluster, OWN_DATABASE } from './prepared-cluster.ts';

export interface OwnPostgres {
  /** What a process is told as `DATABASE_URL`. */
  readonly url: string;
  readonly connection: DatabaseConnection;
  readonly database: PostgresDatabase;
  stop(): Promise<void>;
}

/** Starts it in a directory, which the caller removes after `stop`. */
export async function startOwnPostgres(directory: string): Promise<OwnPostgres> {
  const dataDir = join(directory, 'postgres');
  copyPreparedCluster(dataDir);
  const postgres = await startEmbedded({ dataDir, database: OWN_DATABASE, log: () => undefined });
  const { connection } = postgres;
  const { host, port, user, database: name } = connection;
  const database = createDatabase({ connection, max: 2 });
  return {
    url: `postgresql://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
    connection,
    database,
    async stop() {
      await database.close();
      await postgres.stop();
    },
  };
}
