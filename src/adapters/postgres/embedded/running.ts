/** Finds the server of a service that runs on this machine, so that a command of its operator can use it as well. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerConnection } from '../connection.ts';
import { CLUSTER_USER, SOCKET_PORT } from './cluster.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { findLiveHolder } from './lock.ts';
import { findSocketDirectory } from './socket.ts';
import { waitUntil } from './wait.ts';

/** A service that has just taken its data directory still starts its server. */
const START_LIMIT_MS = 15_000;

export interface RunningServer {
  readonly connection: ServerConnection;
  /** Of the service, not of PostgreSQL. */
  readonly servicePid: number;
}

/**
 * The server of the data directory and one of its databases; undefined when no service on this machine holds it, or
 * when that service is stopping.
 *
 * @throws EmbeddedPostgresError when a service holds the directory and its server does not come up in time.
 */
export async function findRunningServer(
  path: string,
  database: string,
  { startLimitMs = START_LIMIT_MS }: { readonly startLimitMs?: number } = {},
): Promise<RunningServer | undefined> {
  if (!existsSync(path)) return undefined;
  const dataDir = realpathSync(path);
  const holder = await findLiveHolder(dataDir);
  if (holder === undefined || !holder.isLocal || holder.isStopping) return undefined;
  const hasSocket = () => existsSync(join(findSocketDirectory(dataDir) ?? dataDir, formatSocketName()));
  if (!(await waitUntil(hasSocket, startLimitMs)))
    throw new EmbeddedPostgresError(
      `The service (process ${holder.pid}) that uses the data directory ${dataDir} has no running database now; try again in a moment.`,
    );
  const host = findSocketDirectory(dataDir) ?? '';
  return {
    connection: { host, port: SOCKET_PORT, user: CLUSTER_USER, database },
    servicePid: holder.pid,
  };
}

function formatSocketName(): string {
  return `.s.PGSQL.${SOCKET_PORT}`;
}
