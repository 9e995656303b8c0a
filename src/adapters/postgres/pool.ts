/**
 * The database port over `pg`: pooled connections, prepared statements, transactions with retries.
 * This folder: connections, transactions, migrations and prepared statements. Not here: SQL of a noun, which stands in
 * its store.
 */
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import {
  type Database,
  DatabaseUnavailableError,
  type Sql,
  type Transaction,
  type TransactionOptions,
} from '#core/sql.ts';
import { FullDisk } from '#core/out-of-space.ts';
import { connectOnTime, probe } from './connect-on-time.ts';
import type { DatabaseConnection } from './connection.ts';
import { isSerializationFailure, isStalePlan, isUnavailable, translateError } from './errors.ts';
import { StallWatch } from './stall-watch.ts';
import { RowShapes, runStatement } from './statement.ts';
import { createTypeParsers } from './types.ts';
import { createHash } from 'node:crypto';

/** Number of remembered texts; the one used least recently is dropped first. */
const REMEMBERED_TEXTS = 1_000;
/**
 * For a longer text, parsing is cheap compared with its execution, and keeping it in every connection is expensive.
 */
const LONGEST_NAMED = 8_192;
/** Names prepared in one connection, after which the connection is replaced, because the server never drops them. */
const NAMES_PER_CONNECTION = 500;

/** Names a text from its second use on, so that a text used once is never kept. */
export class StatementNames {
  readonly #uses = new Map<string, string | undefined>();

  /** The name, unique for a text and always the same; undefined where the text should run unprepared. */
  getName(text: string): string | undefined {
    if (text.length > LONGEST_NAMED) return undefined;
    const isKnown = this.#uses.has(text);
    const name = isKnown ? (this.#uses.get(text) ?? createStatementName(text)) : undefined;
    this.#uses.delete(text);
    this.#uses.set(text, name);
    if (this.#uses.size > REMEMBERED_TEXTS) {
      const oldest = this.#uses.keys().next();
      if (oldest.done !== true) this.#uses.delete(oldest.value);
    }
    return name;
  }
}

function createStatementName(text: string): string {
  return `s_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}

/** Records the names that each connection has prepared. */
class PreparedNames<Connection extends object> {
  readonly #names = new WeakMap<Connection, Set<string>>();

  add(connection: Connection, name: string): void {
    const names = this.#names.get(connection);
    if (names === undefined) this.#names.set(connection, new Set([name]));
    else names.add(name);
  }

  /** Whether the connection has so many names that it should be closed at its next return to the pool. */
  isFull(connection: Connection): boolean {
    return (this.#names.get(connection)?.size ?? 0) >= NAMES_PER_CONNECTION;
  }
}

/** Limit of a transaction that is idle. */
const IDLE_IN_TRANSACTION_MS = 30_000;
const MAX_RETRIES = 5;
const RETRY_BASE_MS = 10;
const CONNECT_TIMEOUT_MS = 2_500;
const ANSWERING_RETRY_MS = 100;
const SUSPECT_AFTER_MS = 1_250;
/** Time for the answer to arrive after the server's own statement limit. */
const ANSWER_MARGIN_MS = 1_000;

export interface DatabaseOptions {
  readonly connection: DatabaseConnection;
  /** Largest number of connections. Default 10. */
  readonly max?: number;
  /** Callers that may wait for a connection; further ones fail at once. Default 500. */
  readonly maxWaiting?: number;
  /** Limit of opening a connection and of waiting for a free one. Default 2.5 s. */
  readonly connectTimeoutMs?: number;
  /** Limit of one statement, enforced by the server. Default 10 s. */
  readonly statementTimeoutMs?: number;
  /** Limit of one statement outside a transaction, such as a page of a list. Default: the general one. */
  readonly readTimeoutMs?: number;
  /** Limit of waiting for a lock. Default 5 s. */
  readonly lockTimeoutMs?: number;
  readonly applicationName?: string;
  /** Receives one sentence for each lost connection and each failed hook. */
  readonly log?: (message: string) => void;
  /** A source in [0, 1) for the jitter of retries. */
  readonly drawRandom?: () => number;
  readonly delay?: (delayMs: number) => Promise<unknown>;
  /** Milliseconds of a clock that never goes back. Default: that of the process. */
  readonly now?: () => number;
}

/** The current counts of the pool. */
export interface PoolState {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface PostgresDatabase extends Database {
  getState(): PoolState;
  /**
   * Waits until a statement is answered: a start may wait longer than a request. Throws the error of the last
   * attempt.
   */
  waitUntilAnswering(limitMs: number): Promise<void>;
}

/** Makes the pool. It connects at the first statement, and a failure of the server does not end the process. */
export function createDatabase(options: DatabaseOptions): PostgresDatabase {
  return new PooledDatabase(options);
}

interface Settings {
  readonly maxWaiting: number;
  readonly connectTimeoutMs: number;
  readonly log: (message: string) => void;
  readonly drawRandom: () => number;
  readonly delay: (delayMs: number) => Promise<unknown>;
  readonly now: () => number;
  readonly limits: StatementLimits;
}

interface StatementLimits {
  readonly readMs: number;
  readonly transactionMs: number;
}

function resolveLimits(options: DatabaseOptions): StatementLimits {
  const transactionMs = options.statementTimeoutMs ?? 10_000;
  return { readMs: options.readTimeoutMs ?? transactionMs, transactionMs };
}

class PooledDatabase implements PostgresDatabase {
  readonly read: Sql = { query: (text, values) => this.#querySingle(text, values) };
  readonly #settings: Settings;
  readonly #pool: pg.Pool;
  readonly #names = new StatementNames();
  readonly #prepared = new PreparedNames<pg.PoolClient>();
  readonly #shapes: RowShapes;
  readonly #watch: StallWatch;
  #closed: Promise<void> | undefined;
  readonly #disk: FullDisk;

  constructor(options: DatabaseOptions) {
    const limits = resolveLimits(options);
    this.#settings = {
      limits,
      maxWaiting: options.maxWaiting ?? 500,
      connectTimeoutMs: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      log: options.log ?? (() => undefined),
      drawRandom: options.drawRandom ?? Math.random,
      delay: options.delay ?? ((delayMs) => wait(delayMs)),
      now: options.now ?? (() => performance.now()),
    };
    this.#disk = new FullDisk(this.#settings.now);
    const types = createTypeParsers();
    const config = createPoolConfig(options, types);
    this.#shapes = new RowShapes(types);
    this.#pool = new pg.Pool(config);
    this.#pool.on('error', (error) =>
      this.#settings.log(`An idle database connection was lost: ${error.message}`),
    );
    // The pool handles errors only while a connection is idle; this listener covers the connection's whole life.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    this.#watch = new StallWatch({
      suspectAfterMs: SUSPECT_AFTER_MS,
      giveUpAfterMs: Math.max(limits.readMs, limits.transactionMs) + ANSWER_MARGIN_MS,
      probe: () => probe(config),
    });
  }

  getState(): PoolState {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount };
  }

  async waitUntilAnswering(limitMs: number): Promise<void> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      try {
        await this.read.query('select 1');
        return;
      } catch (error) {
        if (!isConnectionLost(error) || performance.now() >= deadline) throw error;
        await this.#settings.delay(ANSWERING_RETRY_MS);
      }
    }
  }

  async isHealthy(): Promise<boolean> {
    try {
      await this.read.query('select 1');
      return true;
    } catch {
      return false;
    }
  }

  isDiskFull(): boolean {
    return this.#disk.isFull();
  }

  close(): Promise<void> {
    this.#closed ??= this.#pool.end();
    return this.#closed;
  }

  async runTransaction<T>(fn: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    for (let retry = 0; ; retry += 1) {
      try {
        return await this.#attempt(fn, options);
      } catch (error) {
        if (!isSerializationFailure(error) && !isStalePlan(error)) throw error;
        if (retry >= MAX_RETRIES) {
          throw new DatabaseUnavailableError(
            'Too many transactions compete for the same rows; try again shortly.',
            { cause: error, isBusy: true },
          );
        }
        await this.#settings.delay(RETRY_BASE_MS * 2 ** retry * (0.5 + this.#settings.drawRandom()));
      }
    }
  }

  async #attempt<T>(fn: (tx: Transaction) => Promise<T>, options: TransactionOptions): Promise<T> {
    const client = await this.#acquire();
    const tx = new OpenTransaction((text, values) => this.#send(client, text, values));
    let broken = false;
    let result: T;
    try {
      await this.#send(client, beginStatement(options, this.#settings.limits));
      result = await fn(tx);
      await this.#commit(client, tx);
    } catch (error) {
      broken = isConnectionLost(error) || isStalePlan(error) || !(await this.#rollBack(client));
      // A write in a transaction that only reads is a fault of the caller, not of the server.
      if (options.readOnly === true && error instanceof DatabaseUnavailableError && error.noWrites !== null)
        throw error.cause;
      throw error;
    } finally {
      tx.markEnded();
      client.release(broken || this.#prepared.isFull(client));
    }
    this.#runHooks(tx.hooks);
    return result;
  }

  /**
   * PostgreSQL answers COMMIT of a failed transaction with a rollback and no error, which must not count as success.
   */
  async #commit(client: pg.PoolClient, tx: OpenTransaction): Promise<void> {
    if (tx.failure !== undefined && client.getTransactionStatus() === 'E') throw tx.failure;
    const done = await this.#track(client, () => client.query('commit'));
    if (done.command !== 'COMMIT') {
      throw tx.failure ?? new Error('The transaction had failed and was rolled back instead of committed.');
    }
  }

  async #rollBack(client: pg.PoolClient): Promise<boolean> {
    try {
      await this.#send(client, 'rollback');
      return true;
    } catch {
      return false;
    }
  }

  #runHooks(hooks: readonly (() => void)[]): void {
    for (const hook of hooks) {
      try {
        hook();
      } catch (error) {
        this.#settings.log(`A function to run after a commit failed: ${String(error)}`);
      }
    }
  }

  async #querySingle<Row>(text: string, values?: readonly unknown[], isRepeat = false): Promise<Row[]> {
    const client = await this.#acquire();
    let broken = false;
    try {
      return await this.#send<Row>(client, text, values ?? []);
    } catch (error) {
      broken = isConnectionLost(error) || isStalePlan(error);
      if (isRepeat || !isStalePlan(error)) throw error;
    } finally {
      client.release(broken || this.#prepared.isFull(client));
    }
    return this.#querySingle<Row>(text, values, true);
  }

  async #acquire(): Promise<pg.PoolClient> {
    if (this.#pool.waitingCount >= this.#settings.maxWaiting) {
      throw new DatabaseUnavailableError(
        'Too many requests are waiting for the database; try again shortly.',
        { isBusy: true },
      );
    }
    try {
      return await connectOnTime(this.#pool, this.#settings.connectTimeoutMs);
    } catch (error) {
      const isFull = this.#pool.totalCount >= this.#pool.options.max && this.#pool.idleCount === 0;
      if (isFull && isUnavailable(error))
        throw new DatabaseUnavailableError('Every connection to the database is in use; try again shortly.', {
          cause: error,
          isBusy: true,
        });
      throw translateError(error);
    }
  }

  /**
   * Sends one statement: prepared under a name when it has values, plain (possibly several statements) when it has
   * none.
   */
  async #send<Row>(client: pg.PoolClient, text: string, values?: readonly unknown[]): Promise<Row[]> {
    if (values === undefined) return (await this.#track(client, () => client.query<never>(text))).rows;
    const name = this.#names.getName(text);
    if (name !== undefined) this.#prepared.add(client, name);
    return this.#track(client, () => runStatement<Row>(client, this.#shapes, { text, values, name }));
  }

  async #track<T>(client: pg.PoolClient, run: () => Promise<T>): Promise<T> {
    const stop = this.#watch.watch(() => client.connection.stream.destroy());
    try {
      return await run();
    } catch (error) {
      this.#disk.record(error);
      // The stack of an answer begins at its socket; here it leads to who asked.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw translateError(error);
    } finally {
      stop();
    }
  }
}

/** The transaction of a caller: remembers the first failure, and rejects statements after its end. */
class OpenTransaction implements Transaction {
  readonly hooks: (() => void)[] = [];
  readonly #send: <Row>(text: string, values: readonly unknown[]) => Promise<Row[]>;
  #failure: unknown;
  #ended = false;

  constructor(send: <Row>(text: string, values: readonly unknown[]) => Promise<Row[]>) {
    this.#send = send;
  }

  get failure(): unknown {
    return this.#failure;
  }

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    if (this.#ended) throw new Error('The transaction has ended; a statement was sent to it too late.');
    try {
      return await this.#send<Row>(text, values);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }

  runAfterCommit(fn: () => void): void {
    if (this.#ended) throw new Error('The transaction has ended; nothing can be registered for its commit.');
    this.hooks.push(fn);
  }

  markEnded(): void {
    this.#ended = true;
  }
}

/** A connection has the time limit of reads; a transaction sets its own in the message that begins it. */
function beginStatement(options: TransactionOptions, { readMs, transactionMs }: StatementLimits): string {
  const access = options.readOnly === true ? ' read only' : '';
  const begin = `begin isolation level ${options.isolation ?? 'read committed'}${access}`;
  return readMs === transactionMs ? begin : `${begin}; set local statement_timeout = ${transactionMs}`;
}

function createPoolConfig(options: DatabaseOptions, types: pg.CustomTypesConfig): pg.PoolConfig {
  return {
    ...options.connection,
    max: options.max ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    statement_timeout: resolveLimits(options).readMs,
    lock_timeout: options.lockTimeoutMs ?? 5_000,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    application_name: options.applicationName ?? 'assayer',
    // The parsers rely on these settings, whatever the server's defaults are.
    options: '-c TimeZone=UTC -c DateStyle=ISO',
    keepAlive: true,
    types,
  };
}

function isConnectionLost(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError;
}
