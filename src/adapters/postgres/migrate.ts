/**
 * Applies the numbered files of `migrations/`, each once, in order, in one transaction with the record of it. The
 * files are append-only: an applied file is never edited or removed, and no file is inserted before it.
 */
import { findErrorCode } from '#core/records.ts';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { DatabaseConnection } from './connection.ts';
import { requireVersion } from './durability.ts';
import { translateError } from './errors.ts';

const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/;
const OWN_TRANSACTION = /^\s*(begin|start transaction|commit|rollback)\b[^;\n]*;/im;
/** Longer than the limit of a request, because the server may be starting together with the service. */
const CONNECT_TIMEOUT_MS = 30_000;
/** Another process may be applying a long migration; waiting for it has a limit. */
const LOCK_TIMEOUT_MS = 600_000;
const CREATE_ATTEMPTS = 5;
/**
 * SQL states when two processes create the same table at once: unique_violation, duplicate_table, duplicate_object.
 */
const CREATE_RACE = new Set(['23505', '42P07', '42710']);

/** The database and the files do not match; the message is one sentence for the operator. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

export interface MigrateOptions {
  readonly connection: DatabaseConnection;
  /** The directory of the `NNNN_name.sql` files. */
  readonly directory: string;
  readonly log?: (message: string) => void;
  /** Limit of the connection and of its first answer. Default 30 s. */
  readonly connectTimeoutMs?: number;
}

interface MigrationFile {
  readonly version: number;
  readonly fileName: string;
  readonly sql: string;
  readonly sha256: string;
}

interface AppliedMigration {
  readonly version: number;
  readonly file_name: string;
  readonly sha256: string;
}

/**
 * Applies missing migrations and returns their file names. Several processes may run it at once: they take turns on
 * one locked row, and each checks again before it applies a file.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const files = readMigrations(options.directory);
  const connectTimeoutMs = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
  const client = new pg.Client({
    ...options.connection,
    connectionTimeoutMillis: connectTimeoutMs,
    lock_timeout: LOCK_TIMEOUT_MS,
    application_name: 'assayer-migrate',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await askVersion(client, connectTimeoutMs);
    await prepareBookkeeping(client);
    const applied: string[] = [];
    for (;;) {
      const next = await applyNext(client, files);
      if (next === undefined) return applied;
      applied.push(next);
      options.log?.(`Applied migration ${next}.`);
    }
  } catch (error) {
    throw translateError(error);
  } finally {
    await client.end();
  }
}

/**
 * Rejects a database whose schema is not exactly that of the files. Changes nothing, for databases that a running
 * service of perhaps another version uses.
 */
export async function requireMigrated({ connection, directory }: MigrateOptions): Promise<void> {
  const files = readMigrations(directory);
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<AppliedMigration>(
      'select version, file_name, sha256 from schema_migrations order by version',
    );
    checkApplied(rows, files);
    if (rows.length < files.length)
      throw new MigrationError(
        `The running service has an older schema than this command: ${rows.length} of ${files.length} migrations are applied. Use the command of the version that runs, or run "assayer migrate" first.`,
      );
  } catch (error) {
    throw translateError(error);
  } finally {
    await client.end();
  }
}

/** Asks for the version before anything else, and rejects a server that is too old for the files. */
async function askVersion(client: pg.Client, limitMs: number): Promise<void> {
  const question = { text: 'show server_version_num', query_timeout: limitMs };
  const { rows } = await client.query<{ server_version_num: string }>(question).catch((error: unknown) => {
    // A server that does not answer does not close the connection either.
    client.connection.stream.destroy();
    throw error;
  });
  requireVersion(rows[0]?.server_version_num ?? null);
}

/** Reads the migration files of a directory in order; rejects ambiguous names and numbers. */
function readMigrations(directory: string): MigrationFile[] {
  const names = readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  return names.map((fileName, index) => {
    const version = Number(FILE_NAME.exec(fileName)?.[1] ?? Number.NaN);
    if (Number.isNaN(version)) {
      throw new MigrationError(
        `The migration ${fileName} is not named NNNN_name.sql with lower-case letters.`,
      );
    }
    if (version !== index + 1) {
      const expected = String(index + 1).padStart(4, '0');
      throw new MigrationError(
        `The migration ${fileName} should be number ${expected}; numbers start at 0001 without gaps.`,
      );
    }
    // A checkout may have changed the line ends, which does not change the migration.
    const sql = readFileSync(join(directory, fileName), 'utf8').replaceAll('\r\n', '\n');
    if (OWN_TRANSACTION.test(sql)) {
      throw new MigrationError(
        `The migration ${fileName} controls transactions itself; each file already runs in one.`,
      );
    }
    return { version, fileName, sql, sha256: createHash('sha256').update(sql).digest('hex') };
  });
}

/** A locked row instead of an advisory lock, because it works on every database of this dialect. */
async function prepareBookkeeping(client: pg.Client): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query(`
        create table if not exists schema_migrations (
          version integer primary key,
          file_name text not null,
          sha256 text not null,
          applied_at timestamptz not null default now()
        );
        create table if not exists schema_migration_lock (id integer primary key check (id = 1));
        insert into schema_migration_lock (id) values (1) on conflict do nothing;
      `);
      return;
    } catch (error) {
      if (attempt >= CREATE_ATTEMPTS || !CREATE_RACE.has(findErrorCode(error) ?? '')) throw error;
    }
  }
}

/** Applies the first missing file under the lock; undefined when none is missing. */
async function applyNext(client: pg.Client, files: readonly MigrationFile[]): Promise<string | undefined> {
  await client.query('begin');
  try {
    await client.query('select id from schema_migration_lock where id = 1 for update');
    const { rows } = await client.query<AppliedMigration>(
      'select version, file_name, sha256 from schema_migrations order by version',
    );
    checkApplied(rows, files);
    const next = files[rows.length];
    if (next !== undefined) {
      await runFile(client, next);
      await client.query('insert into schema_migrations (version, file_name, sha256) values ($1, $2, $3)', [
        next.version,
        next.fileName,
        next.sha256,
      ]);
    }
    await client.query('commit');
    return next?.fileName;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function runFile(client: pg.Client, file: MigrationFile): Promise<void> {
  try {
    await client.query(file.sql);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    const line = file.sql.slice(0, Number(error.position ?? 0)).split('\n').length;
    const place = error.position === undefined ? '' : ` at line ${line}`;
    throw new MigrationError(`The migration ${file.fileName} failed${place}: ${error.message}.`, {
      cause: error,
    });
  }
}

/** The applied migrations must equal the first files. */
function checkApplied(applied: readonly AppliedMigration[], files: readonly MigrationFile[]): void {
  for (const [index, row] of applied.entries()) {
    const file = files[index];
    if (file === undefined) {
      throw new MigrationError(
        `The database has migration ${row.file_name}, which this version of the service does not know; it is newer than the code. Start the version that wrote it, or a later one.`,
      );
    }
    if (file.version !== row.version || file.fileName !== row.file_name || file.sha256 !== row.sha256) {
      throw new MigrationError(
        `The migration ${row.file_name} was applied in another form than ${file.fileName} has now; restore the original file and put the change into a new one.`,
      );
    }
  }
}
