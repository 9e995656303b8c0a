/**
 * The embedded database: a real PostgreSQL that the service supervises, on a private socket, in its own data
 * directory. Nothing needs to be installed or configured.
 *
 * The data directory holds `cluster/` (PostgreSQL's files), `postgres.log`, `service.lock`, `socket-directory` and,
 * when needed, `binaries-<version>/`.
 */
import { getErrorMessage } from '#core/records.ts';
import { chmodSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { formatConnectionUrl, type ServerConnection, withDatabase } from './connection.ts';
import { type Account, chooseAccount } from './embedded/account.ts';
import { type Binaries, prepareBinaries, removeOldCopies } from './embedded/binaries.ts';
import {
  CLUSTER_USER,
  chooseClusterReach,
  ensureCluster,
  listServerArguments,
  SOCKET_PORT,
} from './embedded/cluster.ts';
import { EmbeddedPostgresError } from './embedded/errors.ts';
import { acquireLock, type DataDirectoryLock } from './embedded/lock.ts';
import { prepareSocketDirectory, removeSocketDirectory } from './embedded/socket.ts';
import { type PostmasterExit, Supervisor } from './embedded/supervisor.ts';

export { EmbeddedPostgresError } from './embedded/errors.ts';
export { findRunningServer } from './embedded/running.ts';
export type { PostmasterExit } from './embedded/supervisor.ts';

export interface EmbeddedOptions {
  /** Created when missing. One service at a time may use it. */
  readonly dataDir: string;
  /** Receives one sentence for each event that the operator should know. */
  readonly log: (message: string) => void;
  /** The database to connect to, created when missing. Default `assayer`. */
  readonly database?: string;
  /** Default 100. */
  readonly maxConnections?: number;
  /** Limit of a fast shutdown, after which it becomes an immediate one. Default 10 s. */
  readonly fastStopMs?: number;
  /** Limit of a start, including recovery after a crash. Default 5 minutes. */
  readonly startTimeoutMs?: number;
  /** Trades durability for speed. Only for temporary test servers. */
  readonly unsafeForTests?: boolean;
}

export interface EmbeddedPostgres {
  /** For `createDatabase`; it stays valid across restarts of the server. */
  readonly connection: ServerConnection;
  /** The connection as a URL, for command-line tools. */
  readonly connectionString: string;
  /** The pid of the running server; undefined between a crash and the restart. */
  readonly pid: number | undefined;
  readonly dataDir: string;
  /** Calls back on every death of the server that `stop` did not cause. Returns a function that unsubscribes. */
  onExit(listener: (exit: PostmasterExit) => void): () => void;
  /** Creates another database on the same server unless it exists; returns its connection. */
  ensureDatabase(name: string): Promise<ServerConnection>;
  /** Announces, before `stop`, that the data directory will be free soon: a start there waits instead of failing. */
  announceStop(): void;
  /** Stops the server cleanly and frees the data directory. May be called more than once. */
  stop(): Promise<void>;
}

/** Starts the server and resolves when it accepts connections. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dataDir = prepareDataDirectory(options.dataDir);
  const lock = await acquireLock(dataDir, options.log);
  let supervisor: Supervisor | undefined;
  let socketDirectory: string | undefined;
  try {
    const account = chooseAccount(join(dataDir, 'cluster'));
    const binaries = prepareBinaries(dataDir, account);
    socketDirectory = prepareSocketDirectory(dataDir, account);
    supervisor = await createSupervisor({ dataDir, account, binaries, socketDirectory, options });
    if (!lock.isHeld())
      throw new EmbeddedPostgresError(`Another service has taken the data directory ${dataDir}.`);
    await supervisor.start();
    const server = { host: socketDirectory, port: SOCKET_PORT, user: CLUSTER_USER, database: 'postgres' };
    const connection = await ensureDatabase(server, options.database ?? 'assayer');
    removeOldCopies(dataDir, binaries);
    return createHandle({ supervisor, connection, dataDir, lock });
  } catch (error) {
    await supervisor?.stop();
    if (socketDirectory !== undefined && lock.isHeld()) removeSocketDirectory(socketDirectory);
    lock.release();
    throw error;
  }
}

function prepareDataDirectory(path: string): string {
  const dataDir = resolve(path);
  try {
    if (statSync(dataDir, { throwIfNoEntry: false }) === undefined) {
      mkdirSync(dataDir, { recursive: true });
      // Other users may pass through to the cluster, which has its own lock, but not list or read anything here.
      chmodSync(dataDir, process.geteuid?.() === 0 ? 0o711 : 0o700);
    }
    return realpathSync(dataDir);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The data directory ${dataDir} cannot be used: ${getErrorMessage(error)}.`,
      {
        cause: error,
      },
    );
  }
}

async function createSupervisor(parts: {
  readonly dataDir: string;
  readonly account: Account;
  readonly binaries: Binaries;
  readonly socketDirectory: string;
  readonly options: EmbeddedOptions;
}): Promise<Supervisor> {
  const { dataDir, account, binaries, socketDirectory, options } = parts;
  const clusterDir = join(dataDir, 'cluster');
  const durable = options.unsafeForTests !== true;
  await ensureCluster({ clusterDir, account, binaries, durable });
  const reach = chooseClusterReach(clusterDir, account);
  const maxConnections = options.maxConnections ?? 100;
  return new Supervisor({
    binary: binaries.postgres,
    args: listServerArguments({ reach, socketDirectory, maxConnections, durable }),
    clusterDir,
    socketDirectory,
    reach,
    account,
    logFile: join(dataDir, 'postgres.log'),
    log: options.log,
    startTimeoutMs: options.startTimeoutMs ?? 300_000,
    fastStopMs: options.fastStopMs ?? 10_000,
  });
}

function createHandle(parts: {
  readonly supervisor: Supervisor;
  readonly connection: ServerConnection;
  readonly dataDir: string;
  readonly lock: DataDirectoryLock;
}): EmbeddedPostgres {
  const { supervisor, connection, dataDir } = parts;
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    try {
      await supervisor.stop();
      removeSocketDirectory(connection.host);
    } finally {
      parts.lock.release();
    }
  };
  return {
    connection,
    connectionString: formatConnectionUrl(connection),
    dataDir,
    get pid() {
      return supervisor.pid;
    },
    onExit: (listener) => supervisor.onExit(listener),
    announceStop: () => parts.lock.announceStop(),
    ensureDatabase: (name) => ensureDatabase(connection, name),
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function ensureDatabase(server: ServerConnection, name: string): Promise<ServerConnection> {
  const client = new pg.Client({ ...withDatabase(server, 'postgres'), connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const databases = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (databases.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
    return withDatabase(server, name);
  } finally {
    await client.end();
  }
}
