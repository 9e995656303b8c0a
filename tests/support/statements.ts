/** What is asked of a database while a test looks on. */
import type { Sql } from '#core/sql.ts';
import type { PostgresDatabase } from '#adapters/postgres/pool.ts';

export interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Which transaction asked, counted from 1; null outside of all. */
  readonly transaction: number | null;
}

/** Takes note of every statement, inside transactions and outside of them, until it is stopped. */
export function recordStatements(database: PostgresDatabase): { readonly asked: Asked[]; stop(): void } {
  const statements: Asked[] = [];
  const { read } = database;
  const query = read.query.bind(read);
  const transaction = database.runTransaction.bind(database);
  let transactions = 0;
  const noting =
    (send: Sql['query'], ordinal: number | null): Sql['query'] =>
    (text, values = []) => {
      statements.push({ text, values, transaction: ordinal });
      return send(text, values);
    };
  read.query = noting(query, null);
  database.runTransaction = (work, options) =>
    transaction((tx) => {
      const ordinal = ++transactions;
      return work({
        query: noting(tx.query.bind(tx), ordinal),
        runAfterCommit: (hook) => tx.runAfterCommit(hook),
      });
    }, options);
  const stop = (): void => {
    read.query = query;
    database.runTransaction = transaction;
  };
  return { asked: statements, stop };
}
