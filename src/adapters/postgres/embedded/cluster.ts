/** Creates the cluster on disk, and defines its fixed settings and the path by which its server reaches it. */
import { getErrorMessage } from '#core/records.ts';
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isMemorySmall, readMemoryBytes } from '#core/memory.ts';
import { type Account, canReach } from './account.ts';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError } from './errors.ts';

/** The only role: the service's own. */
export const CLUSTER_USER = 'assayer';
const DRAFT_PREFIX = 'cluster.draft-';
/** PostgreSQL keeps paths in buffers of 1024 bytes. */
const MAX_CLUSTER_PATH_BYTES = 900;

/**
 * Connections are possible only through the socket, whose directory no other user can enter. Nothing listens on the
 * network. A password would add no protection, because it would have to be stored beside the files it protects.
 */
const CLIENT_RULES = 'local all all trust\nlocal replication all trust\n';

export interface ClusterOptions {
  readonly clusterDir: string;
  readonly account: Account;
  readonly binaries: Binaries;
  /** False only for a temporary test server. */
  readonly durable: boolean;
}

/** How the server gets the path of its cluster. */
export interface ClusterReach {
  readonly argument: string;
  readonly workingDirectory: string;
}

/**
 * A server under another user id may be unable to enter the directories above a cluster, such as /root. It is started
 * with the cluster as its working directory, which is entered before the user id changes.
 */
export function chooseClusterReach(clusterDir: string, account: Account): ClusterReach {
  const reachable = !account.switched || canReach(dirname(clusterDir), account);
  if (reachable) return { argument: clusterDir, workingDirectory: clusterDir };
  if (process.platform === 'linux') return { argument: '/proc/self/cwd', workingDirectory: clusterDir };
  throw new EmbeddedPostgresError(
    `The data directory ${clusterDir} lies under a directory that user id ${account.uid}, which the database runs as, may not enter; choose another data directory or start the service as an ordinary user.`,
  );
}

/** The environment of every server program; it contains nothing of the service's own environment. */
const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Creates the cluster when there is none; rejects one of another major version. */
export async function ensureCluster(options: ClusterOptions): Promise<'created' | 'existing'> {
  const { clusterDir, binaries } = options;
  if (Buffer.byteLength(clusterDir) > MAX_CLUSTER_PATH_BYTES) {
    throw new EmbeddedPostgresError(
      `The data directory path is longer than ${MAX_CLUSTER_PATH_BYTES} bytes; choose a shorter one.`,
    );
  }
  if (existsSync(clusterDir)) {
    checkVersion(clusterDir, binaries);
    return 'existing';
  }
  const parent = dirname(clusterDir);
  for (const name of readdirSync(parent)) {
    if (name.startsWith(DRAFT_PREFIX)) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const draft = join(parent, `${DRAFT_PREFIX}${process.pid}`);
  try {
    await createCluster(draft, options);
    renameSync(draft, clusterDir);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
  if (options.durable) syncDirectory(parent);
  return 'created';
}

function checkVersion(clusterDir: string, binaries: Binaries): void {
  let version: number;
  try {
    version = Number(readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8'));
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The directory ${clusterDir} does not hold a readable database: ${getErrorMessage(error)}.`,
      {
        cause: error,
      },
    );
  }
  if (version !== binaries.majorVersion) {
    throw new EmbeddedPostgresError(
      `The database in ${clusterDir} was created by PostgreSQL ${version} and this service brings PostgreSQL ${binaries.majorVersion}; restore a backup into an empty data directory.`,
    );
  }
}

async function createCluster(directory: string, options: ClusterOptions): Promise<void> {
  const { account } = options;
  mkdirSync(directory, { mode: 0o700 });
  chmodSync(directory, 0o700);
  if (account.switched) giveToAccount(directory, account);
  const reach = chooseClusterReach(directory, account);
  await runInitdb(options, reach);
  const rules = join(directory, 'pg_hba.conf');
  writeFileSync(rules, CLIENT_RULES, { flush: options.durable });
}

function giveToAccount(directory: string, account: Account): void {
  try {
    chownSync(directory, account.uid, account.gid);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The data directory cannot be given to user id ${account.uid}, which the database runs as (${getErrorMessage(error)}); choose a directory on a local file system or start the service as an ordinary user.`,
      { cause: error },
    );
  }
}

/** `builtin` collation is the same on every platform and does not change with a library. */
function runInitdb(options: ClusterOptions, reach: ClusterReach): Promise<void> {
  const { binaries, account, durable } = options;
  const args = ['-D', reach.argument, '-U', CLUSTER_USER, '-A', 'trust', '-E', 'UTF8', '--no-instructions'];
  args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C');
  if (!durable) args.push('--no-sync');
  return new Promise((resolve, reject) => {
    const child = spawnServerProgram(binaries.initdb, args, {
      reach,
      account,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderrText = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderrText = (stderrText + text).slice(-2_000);
    });
    child.on('error', (error) => reject(createCannotRunError(error)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new EmbeddedPostgresError(explainInitdb(stderrText, code ?? signal ?? 'unknown', account)));
    });
  });
}

/** Starts a server program inside the cluster directory, under the account's user id. */
export function spawnServerProgram(
  binary: string,
  args: readonly string[],
  options: {
    readonly reach: ClusterReach;
    readonly account: Account;
    readonly stdio: StdioOptions;
    readonly detached?: boolean;
  },
): ChildProcess {
  const { reach, account, stdio, detached = false } = options;
  const identity = account.switched ? { uid: account.uid, gid: account.gid } : {};
  try {
    return spawn(binary, args, {
      cwd: reach.workingDirectory,
      env: SERVER_ENVIRONMENT,
      stdio,
      detached,
      ...identity,
    });
  } catch (error) {
    throw createCannotRunError(error);
  }
}

/** The server programs need glibc and, under root, the right to change the user id; otherwise they do not start. */
export function createCannotRunError(error: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The embedded database cannot be started on this machine (${getErrorMessage(error)}); it needs glibc and, when started by root, the right to change the user id. Set DATABASE_URL to use a PostgreSQL server instead.`,
    { cause: error },
  );
}

function explainInitdb(said: string, status: string | number, account: Account): string {
  if (/could not look up effective user ID/.test(said)) {
    return `User id ${account.uid} has no entry in /etc/passwd, which PostgreSQL needs to create its database; add one, or set DATABASE_URL to a PostgreSQL server.`;
  }
  return `The database could not be created (initdb ended with ${status}): ${said.trim()}`;
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Settings on the command line take precedence over every configuration file, so that durability cannot be turned off
 * by accident.
 */
export function listServerArguments(options: {
  readonly reach: ClusterReach;
  readonly socketDirectory: string;
  readonly maxConnections: number;
  readonly durable: boolean;
  /** What the service and its database may use together. Default: the memory of the machine, or of the control group. */
  readonly memoryBytes?: number;
}): string[] {
  const memoryBytes = options.memoryBytes ?? readMemoryBytes();
  const durability = options.durable ? 'on' : 'off';
  const settings: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: options.socketDirectory,
    unix_socket_permissions: '0700',
    ssl: 'off',
    fsync: durability,
    synchronous_commit: durability,
    full_page_writes: durability,
    max_connections: String(options.maxConnections),
    TimeZone: 'UTC',
    log_timezone: 'UTC',
    // Errors carry statements, values and keys, and client data must not reach the log. LOG ranks above ERROR here.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    log_statement: 'none',
    log_checkpoints: 'off',
    logging_collector: 'off',
    ...(isMemorySmall(memoryBytes) ? IN_SMALL_MEMORY : {}),
    ...(options.durable ? {} : PLANNED_ONCE),
  };
  const args = ['-D', options.reach.argument, '-p', String(SOCKET_PORT)];
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`);
  return args;
}

/** The usual 128 MB, once filled, are a quarter of 512 MiB, and the kernel cannot take them back; it caches files itself. */
const IN_SMALL_MEMORY = { shared_buffers: '32MB' } as const;

/**
 * A throw-away server runs many statements a few times over small tables: planning each execution anew takes a quarter
 * of its time.
 */
const PLANNED_ONCE = { plan_cache_mode: 'force_generic_plan', jit: 'off' } as const;

/** Only names the socket file; nothing listens on it. */
export const SOCKET_PORT = 5432;
