/** The transaction that the sign-in library's statements join, and the effects of changed rows in it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transaction } from '#core/sql.ts';

export type Row = Readonly<Record<string, unknown>>;
export type Change = 'created' | 'updated' | 'removed';

/** Runs after a row has changed, in the same transaction. */
export type Effect = (tx: Transaction, change: Change, row: Row, columns: readonly string[]) => Promise<void>;

const open = new AsyncLocalStorage<Transaction>();

/** Everything that the library stores inside `work` commits with `tx`. */
export function runWithTransaction<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
  return open.run(tx, work);
}

/** Finds the transaction of the current unit of work; undefined outside one. */
export function findOpenTransaction(): Transaction | undefined {
  return open.getStore();
}
