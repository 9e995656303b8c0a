/** What is asked of a database while a test looks on. */
import type { Sql, Transaction } from '#core/sql.ts';
import type { PostgresDatabase } from '#adapters/postgres/pool.ts';

export interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Takes note of every statement, inside transactions and outside of them, until it is stopped. */
export function recordStatements(database: PostgresDatabase): { readonly asked: Asked[]; stop(): void } {
  const asked: Asked[] = [];
  const { read } = database;
  const query = read.query.bind(read);
  const transaction = database.transaction.bind(database);
  const noting =
    (send: Sql['query']): Sql['query'] =>
    (text, values = []) => {
      asked.push({ text, values });
      return send(text, values);
    };
  read.query = noting(query);
  database.transaction = (work, options) => transaction((tx) => work(noted(tx, noting)), options);
  const stop = (): void => {
    read.query = query;
    database.transaction = transaction;
  };
  return { asked, stop };
}

function noted(tx: Transaction, noting: (send: Sql['query']) => Sql['query']): Transaction {
  return { query: noting(tx.query.bind(tx)), afterCommit: (hook) => tx.afterCommit(hook) };
}
