/**
 * Optional trigram indexes over the residues and names of all sequences. They make substring search fast where one
 * organization has millions of sequences. They slow down every insert, so they are not part of the migrations. They
 * are built concurrently, while the service reads and writes.
 */
import { findErrorCode } from '#core/records.ts';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseConnection } from './connection.ts';
import { translateError } from './errors.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const PROGRESS_EVERY_MS = 1_000;
const INSUFFICIENT_PRIVILEGE = '42501';
const EXTENSION_MISSING = new Set(['58P01', '0A000']);

const INDEXES = [
  { name: 'sequences_residues_trgm', column: 'aa_string' },
  { name: 'sequences_names_trgm', column: 'name' },
] as const;

/** The index cannot be built here; the message is one sentence for the operator. */
export class ResidueIndexError extends Error {
  override readonly name = 'ResidueIndexError';
}

export interface ResidueIndexOptions {
  readonly connection: DatabaseConnection;
  /** Receives a sentence at every step, and a few times a minute during the build. */
  readonly log: (message: string) => void;
}

/** Builds the missing indexes; returns the names of those built now. */
export function buildResidueIndex(options: ResidueIndexOptions): Promise<string[]> {
  return withClient(options, async (client) => {
    await client.query('create extension if not exists pg_trgm');
    const createdNames: string[] = [];
    for (const { name, column } of INDEXES) {
      const state = await readState(client, name);
      if (state === 'ready') continue;
      if (state === 'broken') {
        options.log(`${name} was left unfinished; it is built again.`);
        await client.query(`drop index concurrently ${name}`);
      }
      options.log(`Building ${name}.`);
      const statement = `create index concurrently ${name} on sequences using gin (${column} gin_trgm_ops)`;
      await runWithReports(options, name, () => client.query(statement));
      createdNames.push(name);
    }
    await client.query('analyze sequences');
    return createdNames;
  });
}

/** Returns the names of the indexes that existed. */
export function dropResidueIndex(options: ResidueIndexOptions): Promise<string[]> {
  return withClient(options, async (client) => {
    const droppedNames: string[] = [];
    for (const { name } of INDEXES) {
      if ((await readState(client, name)) === 'missing') continue;
      await client.query(`drop index concurrently if exists ${name}`);
      droppedNames.push(name);
    }
    return droppedNames;
  });
}

async function withClient<T>(
  { connection }: ResidueIndexOptions,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = createClient(connection);
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw explainError(error);
  } finally {
    await client.end();
  }
}

/** Without a statement limit, because a build may take any time. */
function createClient(connection: DatabaseConnection): pg.Client {
  const client = new pg.Client({
    ...connection,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: 0,
    application_name: 'assayer-index',
  });
  client.on('error', () => undefined);
  return client;
}

async function readState(client: pg.Client, name: string): Promise<'missing' | 'broken' | 'ready'> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [name],
  );
  const [row] = rows;
  if (row === undefined) return 'missing';
  return row.valid ? 'ready' : 'broken';
}

/** Reports the progress of the build at intervals, as a second connection sees it. */
async function runWithReports(
  { connection, log }: ResidueIndexOptions,
  name: string,
  build: () => Promise<unknown>,
): Promise<void> {
  const done = new AbortController();
  const reported = reportProgress(connection, done.signal, (message) => log(`${name}: ${message}`));
  try {
    await build();
  } finally {
    done.abort();
    await reported;
  }
}

async function reportProgress(
  connection: DatabaseConnection,
  signal: AbortSignal,
  log: (message: string) => void,
): Promise<void> {
  const client = createClient(connection);
  let last = '';
  try {
    await client.connect();
    for (;;) {
      await wait(PROGRESS_EVERY_MS, undefined, { signal });
      const { rows } = await client.query<{ phase: string; percent: number | null }>(
        `select phase, (100 * greatest(blocks_done, tuples_done)
           / nullif(case when blocks_done >= tuples_done then blocks_total else tuples_total end, 0))::int as percent
         from pg_stat_progress_create_index where datname = current_database()`,
      );
      const [row] = rows;
      if (row === undefined) continue;
      const message = row.percent === null ? row.phase : `${row.phase}, ${row.percent} %`;
      if (message !== last) log(message);
      last = message;
    }
  } catch {
    // The build matters; without progress reports it is only silent.
  } finally {
    await client.end();
  }
}

function explainError(error: unknown): unknown {
  const code = findErrorCode(error);
  if (code === INSUFFICIENT_PRIVILEGE) {
    const message =
      'The database user may not do this: it must own the table "sequences" and be allowed to create in the database (for the extension pg_trgm). Give DATABASE_URL the user that runs the migrations.';
    return new ResidueIndexError(message, { cause: error });
  }
  if (EXTENSION_MISSING.has(code ?? '')) {
    const message = 'The database server does not have the extension pg_trgm: install its contrib package.';
    return new ResidueIndexError(message, { cause: error });
  }
  return translateError(error);
}
