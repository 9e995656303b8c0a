import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import { countEdits } from './near.ts';

/** The table of Wagner and Fischer, which is slow and short. */
function countSlowly(own: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of own.split('').entries()) {
    const above = row;
    row = [at + 1];
    for (let column = 0; column < other.length; column += 1)
      row.push(
        Math.min(
          (above[column] ?? 0) + (letter === other[column] ? 0 : 1),
          (above[column + 1] ?? 0) + 1,
          (row[column] ?? 0) + 1,
        ),
      );
  }
  return row.at(-1) ?? 0;
}

test('edit distance: any two short texts and any bound → that of the whole table, or nothing beyond the bound', () => {
  const text = fc.string({ unit: fc.constantFrom('A', 'C', 'G', ':'), maxLength: 14 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 0, max: 20 }), (own, other, most) => {
      const slow = countSlowly(own, other);
      assert.equal(countEdits(own, other, most), slow <= most ? slow : undefined);
    }),
  );
});

test('edit distance: a variant with an exchange, a deletion and an insertion → 3', () => {
  assert.equal(countEdits('QVQLVESGGGLVQ', 'QVKLVESGGLVQA', 5), 3);
  assert.equal(countEdits('QVQLVESGGGLVQ', 'QVKLVESGGLVQA', 2), undefined);
});
