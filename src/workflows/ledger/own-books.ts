/** The records of our own processors as outside books. */
import { labScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import {
  exactOfCents,
  type BookEntry,
  type Movement,
  type OutsideBook,
} from '#domain/ledger/outside-book.ts';
import {
  ownMovement,
  ownMovementsSince,
  type OwnBookName,
  type OwnMovement,
} from '#domain/payments/own-book-store.ts';
import { BUILTIN_RAIL } from '#domain/payments/rails.ts';
import { SHARED_TOKEN_RAIL } from '#domain/payments/shared-token-rail.ts';

const PAGE = 500;
const TEST_REFERENCE = /^(?:pi|re)_test_/;

export function builtinBook(sql: Sql): OutsideBook {
  return ownBook(sql, { book: 'builtin', name: 'built-in processor', rail: BUILTIN_RAIL, owns: () => true });
}

export function testTokenBook(sql: Sql): OutsideBook {
  const owns = ({ reference }: BookEntry): boolean => TEST_REFERENCE.test(reference);
  return ownBook(sql, { book: 'test tokens', name: 'test tokens', rail: SHARED_TOKEN_RAIL, owns });
}

function ownBook(
  sql: Sql,
  {
    book,
    name,
    rail,
    owns,
  }: {
    readonly book: OwnBookName;
    readonly name: string;
    readonly rail: string;
    readonly owns: (entry: BookEntry) => boolean;
  },
): OutsideBook {
  const seen = (row: OwnMovement): Movement => ({
    rail,
    direction: row.direction,
    reference: row.id,
    party: null,
    amount: exactOfCents(row.amount_cents),
    currency: row.currency,
    at: new Date(row.created_at),
    state: 'settled',
    invoiceId: row.invoice_id,
    refundId: row.refund_id,
  });
  return {
    name,
    rails: [rail],
    // Money that staff sent by hand is in no book.
    owns: (entry) => entry.rail === rail && !entry.isByHand && owns(entry),
    lookUp: async ({ reference }) => (await ownMovement(labScope, sql, book, reference)).map(seen),
    async *movements(since) {
      let afterId = '';
      for (;;) {
        const page = await ownMovementsSince(labScope, sql, book, { since, afterId, limit: PAGE });
        yield page.map(seen);
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE) return;
        afterId = last.id;
      }
    },
  };
}
