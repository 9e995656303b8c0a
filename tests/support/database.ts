/**
 * A fresh database for every test file, cloned from a template that has all migrations. `npm test` starts one server
 * for the whole run; a file that is run alone starts its own.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import pg from 'pg';
import { type ServerConnection, withDatabase } from '#adapters/postgres/connection.ts';
import { killLeftovers } from '#adapters/postgres/embedded/processes.ts';
import { isAbandoned } from '#adapters/postgres/embedded/lock.ts';
import { type EmbeddedPostgres, startEmbedded } from '#adapters/postgres/embedded.ts';
import { migrate } from '#adapters/postgres/migrate.ts';
import { createDatabase, type DatabaseOptions, type PostgresDatabase } from '#adapters/postgres/pool.ts';

/** Holds the connection to the template database as JSON, for the processes of one test run. */
export const TEST_DATABASE_VARIABLE = 'ASSAYER_TEST_DATABASE';
const MIGRATIONS = join(import.meta.dirname, '..', '..', 'migrations');
const TEMPLATE = 'assayer_template';
const DIRECTORY_PREFIX = 'assayer-test-';
const ABANDONED_STOP_MS = 1_000;
const LEAVE_WITHIN_MS = 30_000;

export interface TestServer {
  /** The template database: to be cloned, never connected to. */
  readonly template: ServerConnection;
  stop(): Promise<void>;
}

/** Starts a throw-away server (not durable) and prepares the template. */
export async function startTestServer(): Promise<TestServer> {
  await sweepAbandonedServers();
  const directory = mkdtempSync(join(tmpdir(), DIRECTORY_PREFIX));
  const log = (message: string) => console.error(`test database: ${message}`);
  let server: EmbeddedPostgres | undefined;
  const stop = async () => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    server = await startEmbedded({ dataDir: directory, log, maxConnections: 300, unsafeForTests: true });
    const template = await server.ensureDatabase(TEMPLATE);
    if (existsSync(MIGRATIONS)) await migrate({ connection: template, directory: MIGRATIONS });
    return { template, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Ends and removes the servers of test runs that were killed. */
async function sweepAbandonedServers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(DIRECTORY_PREFIX)) continue;
    const directory = join(tmpdir(), name);
    if (statSync(directory, { throwIfNoEntry: false })?.uid !== process.geteuid?.()) continue;
    if (!(await isAbandoned(directory))) continue;
    const cluster = join(directory, 'cluster');
    if (existsSync(cluster)) await killLeftovers(cluster, ABANDONED_STOP_MS);
    rmSync(directory, { recursive: true, force: true });
  }
}

let shared: Promise<ServerConnection> | undefined;

/** The template of this test run, or of a server of this process's own. */
function getSharedTemplate(): Promise<ServerConnection> {
  shared ??= openTemplate();
  return shared;
}

async function openTemplate(): Promise<ServerConnection> {
  const address = process.env[TEST_DATABASE_VARIABLE];
  if (address !== undefined) return parseConnection(address);
  const server = await startTestServer();
  process.once('beforeExit', () => void server.stop());
  return server.template;
}

function parseConnection(text: string): ServerConnection {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null) {
    const { host, port, user, database } = value as Partial<Record<keyof ServerConnection, unknown>>;
    if (
      typeof host === 'string' &&
      typeof port === 'number' &&
      typeof user === 'string' &&
      typeof database === 'string'
    ) {
      return { host, port, user, database };
    }
  }
  throw new Error(`${TEST_DATABASE_VARIABLE} does not hold a connection.`);
}

export interface TestDatabase {
  readonly database: PostgresDatabase;
  readonly connection: ServerConnection;
}

export interface TestDatabaseOptions extends Partial<Omit<DatabaseOptions, 'connection'>> {
  /** Without the migrations. */
  readonly empty?: boolean;
}

/**
 * Makes a database and a pool on it. Call it at the top of a test file (or of a suite): an `after` hook there closes
 * the pool, drops the database, and fails when a connection was not given back.
 */
export async function testDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { empty = false, ...pool } = options;
  const template = await getSharedTemplate();
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`;
  const source = empty ? 'template0' : template.database;
  // Copying files takes half the time of writing each page to the log, as long as nothing is flushed.
  await administer(template, (admin) =>
    admin.query(`create database ${name} template ${source} strategy file_copy`),
  );
  const connection = withDatabase(template, name);
  const database = createDatabase({ applicationName: name, ...pool, connection });
  after(async () => {
    const { total, idle, waiting } = database.getState();
    const leaked = total - idle;
    // Closing waits for connections in use: with a leak it would wait for ever.
    if (leaked === 0) await database.close();
    const others = await dropDatabase(connection);
    if (leaked > 0 || waiting > 0) {
      throw new Error(`The tests leaked ${leaked} pooled connections, with ${waiting} callers waiting.`);
    }
    if (others > 0) throw new Error(`The tests left ${others} connections to their database open.`);
  });
  return { database, connection };
}

/** Drops the database whoever is connected; returns how many still were. */
async function dropDatabase(connection: ServerConnection): Promise<number> {
  let connected = 0;
  await administer(connection, async (admin) => {
    const query = 'select 1 from pg_stat_activity where datname = $1';
    // A closed connection leaves the list a moment after its socket.
    const deadline = performance.now() + LEAVE_WITHIN_MS;
    do {
      connected = (await admin.query(query, [connection.database])).rowCount ?? 0;
    } while (connected > 0 && performance.now() < deadline);
    await admin.query(`drop database if exists ${connection.database} with (force)`);
  });
  return connected;
}

async function administer(
  server: ServerConnection,
  work: (admin: pg.Client) => Promise<unknown>,
): Promise<void> {
  const admin = new pg.Client({ ...withDatabase(server, 'postgres'), connectionTimeoutMillis: 10_000 });
  admin.on('error', () => undefined);
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
