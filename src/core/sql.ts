/**
 * The database port: what stores, workflows and the HTTP edge may know about PostgreSQL.
 * The implementation is `src/adapters/postgres/pool.ts`.
 *
 * What a row holds: `int8` arrives as a number (an unsafe one is an error), `timestamptz` as
 * `YYYY-MM-DDTHH:MM:SS.sssZ`, `date` as `YYYY-MM-DD`, `numeric` as its exact text, `json` and `jsonb` parsed.
 */

/** Something statements can be sent to: the pool, or one open transaction. */
export interface Sql {
  /** Runs one statement with `$1…` parameters and returns its rows. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** One open transaction. Do not use it after the function it was given to has settled. */
export interface Transaction extends Sql {
  /** Registers a function to run after, and only after, the commit. It must not throw. */
  afterCommit(fn: () => void): void;
}

export type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

export interface TransactionOptions {
  /** Default `read committed`. */
  readonly isolation?: IsolationLevel;
  /** A transaction that may not write. */
  readonly readOnly?: boolean;
}

export interface Database {
  /** Single statements, each its own transaction. */
  readonly read: Sql;
  /**
   * Runs `fn` inside a transaction: commits when it returns, rolls back when it throws. On a serialization failure
   * or a deadlock the whole of `fn` is run again (at most 5 times), so `fn` must have no effect outside the database.
   */
  transaction<T>(fn: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Whether the database answers a trivial statement now. Never throws. */
  healthy(): Promise<boolean>;
  /** Waits for the statements in flight, then closes every connection. */
  close(): Promise<void>;
}

/**
 * The database cannot be reached, is starting or stopping, or has no connection free. Nothing is wrong with the
 * request: the HTTP edge answers 503 with `Retry-After`.
 */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError';
  readonly retryAfterSeconds: number;
  /** It answers, but others have it; false when it cannot be reached. */
  readonly isBusy: boolean;

  constructor(
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number; isBusy?: boolean } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds ?? 2;
    this.isBusy = options.isBusy ?? false;
  }
}

/** The first row, or undefined when there is none. */
export function first<Row>(rows: readonly Row[]): Row | undefined {
  return rows[0];
}

/** The only row of a statement that always returns exactly one. */
export function exactlyOne<Row>(rows: readonly Row[]): Row {
  const [row, ...rest] = rows;
  if (row === undefined || rest.length > 0) {
    throw new Error(`Expected exactly one row from the database, got ${rows.length}.`);
  }
  return row;
}
