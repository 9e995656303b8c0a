/**
 * The database port: all that stores, workflows and the HTTP edge use of PostgreSQL.
 * The implementation is `src/adapters/postgres/pool.ts`.
 *
 * Types in a row: `int8` arrives as a number (an unsafe one is an error), `timestamptz` as
 * `YYYY-MM-DDTHH:MM:SS.sssZ`, `date` as `YYYY-MM-DD`, `numeric` as its exact text, `json` and `jsonb` parsed.
 */

/** A target for statements: the pool or one open transaction. */
export interface Sql {
  /** Runs one statement with `$1…` parameters and returns its rows. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** One open transaction. Do not use it after the function that received it has settled. */
export interface Transaction extends Sql {
  /** Registers a function to run after, and only after, the commit. It must not throw. */
  runAfterCommit(fn: () => void): void;
}

export type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

export interface TransactionOptions {
  /** Default `read committed`. */
  readonly isolation?: IsolationLevel;
  /** A transaction that may not write. */
  readonly readOnly?: boolean;
}

export interface Database {
  /** Runs single statements, each in its own transaction. */
  readonly read: Sql;
  /**
   * Runs `fn` inside a transaction: commits when it returns, rolls back when it throws. After a serialization failure
   * or a deadlock all of `fn` runs again (at most 5 times), so `fn` must have no effect outside the database.
   */
  runTransaction<T>(fn: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Whether the database answers a trivial statement now. Never throws. */
  isHealthy(): Promise<boolean>;
  /**
   * Whether the disk of the database was too full for a statement of this process within the last minute. The database
   * cannot be asked: what needs no new space still works.
   */
  isDiskFull(): boolean;
  /** Waits for the statements in flight, then closes every connection. */
  close(): Promise<void>;
}

/**
 * The database cannot be reached, is starting or stopping, has no free connection, or takes no writes. The request is not at fault:
 * the HTTP edge responds 503 with `Retry-After`.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly retryAfterSeconds: number;
  /** True when the database responds but every connection is in use; false when it cannot be reached. */
  readonly isBusy: boolean;
  /** Why the database, which can be read, takes no writes, with what the operator does; null where that is not so. */
  readonly noWrites: string | null;

  constructor(
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number; isBusy?: boolean; noWrites?: string } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds ?? 2;
    this.isBusy = options.isBusy ?? false;
    this.noWrites = options.noWrites ?? null;
  }
}

/** Returns the first row, or undefined when there is none. */
export function getFirst<Row>(rows: readonly Row[]): Row | undefined {
  return rows[0];
}

/** Returns the only row of a statement that always returns exactly one. */
export function getExactlyOne<Row>(rows: readonly Row[]): Row {
  const [row, ...rest] = rows;
  if (row === undefined || rest.length > 0) {
    throw new Error(`Expected exactly one row from the database, got ${rows.length}.`);
  }
  return row;
}
