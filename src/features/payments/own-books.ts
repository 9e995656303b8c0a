/** The records of our own processors as outside books. */
import { labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { toExact, type BookEntry, type Movement, type OutsideBook } from '../ledger/outside-book.ts';
import {
  selectOwnMovement,
  selectOwnMovementsSince,
  type OwnBookName,
  type OwnMovement,
} from './own-book-store.ts';
import { BUILTIN_RAIL } from './rules.ts';
import { SHARED_TOKEN_RAIL } from './shared-token-rail.ts';

const PAGE = 500;
const TEST_REFERENCE = /^(?:pi|re)_test_/;

export function createBuiltinBook(sql: Sql): OutsideBook {
  return createOwnBook(sql, {
    book: 'builtin',
    name: 'built-in processor',
    rail: BUILTIN_RAIL,
    isOwnEntry: () => true,
  });
}

export function createTestTokenBook(sql: Sql): OutsideBook {
  const owns = ({ reference }: BookEntry): boolean => TEST_REFERENCE.test(reference);
  return createOwnBook(sql, {
    book: 'test tokens',
    name: 'test tokens',
    rail: SHARED_TOKEN_RAIL,
    isOwnEntry: owns,
  });
}

function createOwnBook(
  sql: Sql,
  {
    book,
    name,
    rail,
    isOwnEntry,
  }: {
    readonly book: OwnBookName;
    readonly name: string;
    readonly rail: string;
    readonly isOwnEntry: (entry: BookEntry) => boolean;
  },
): OutsideBook {
  const toMovement = (row: OwnMovement): Movement => ({
    rail,
    direction: row.direction,
    reference: row.id,
    party: null,
    amount: toExact(row.amount_cents),
    currency: row.currency,
    at: new Date(row.created_at),
    state: 'settled',
    invoice_id: row.invoice_id,
    refund_id: row.refund_id,
  });
  return {
    name,
    rails: [rail],
    // Money that staff sent by hand is in no book.
    isOwnEntry: (entry) => entry.rail === rail && !entry.is_by_hand && isOwnEntry(entry),
    lookUp: async ({ reference }) =>
      (await selectOwnMovement(labScope, sql, book, reference)).map(toMovement),
    async *listMovements(since) {
      let afterId = '';
      for (;;) {
        const page = await selectOwnMovementsSince(labScope, sql, book, { since, afterId, limit: PAGE });
        yield page.map(toMovement);
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE) return;
        afterId = last.id;
      }
    },
  };
}
