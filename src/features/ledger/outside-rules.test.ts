import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toExactFromUnits, type BookEntry, type Movement } from './outside-book.ts';
import { matchMovements } from './outside-rules.ts';

test('ledger matching: postings and movements of one payer → equal amounts pair first, one movement with each posting', () => {
  const entry = (id: string, amountCents: number, payer: string): BookEntry => ({
    id,
    rail: 'x402-exact',
    direction: 'received',
    invoice_id: id,
    document: id,
    reference: '0xa',
    amount_cents: amountCents,
    currency: 'usd',
    posted_at: new Date(0),
    is_by_hand: false,
    transfer: { network: 'eip155:1', asset: '0x1', payTo: '0x2', payer },
  });
  const movement = (cents: number, party: string): Movement => ({
    rail: 'x402-exact',
    direction: 'received',
    reference: '0xa',
    party,
    amount: toExactFromUnits(BigInt(cents), 1n),
    currency: 'usd',
    at: new Date(0),
    state: 'settled',
    invoice_id: null,
    refund_id: null,
  });
  const one = matchMovements(
    [entry('a', 5, 'p'), entry('b', 7, 'p'), entry('c', 7, 'p')],
    [movement(7, 'p'), movement(9, 'q')],
  );
  assert.deepEqual(
    [one.pairs.map((pair) => pair.entry.id), one.entries.map(({ id }) => id), one.movements.length],
    [['b'], ['a', 'c'], 1],
  );
  const two = matchMovements([entry('a', 5, 'p')], [movement(6, 'p'), movement(5, 'p')]);
  assert.deepEqual([two.pairs[0]?.movement.amount, two.movements.length], [toExactFromUnits(5n, 1n), 1]);
});
