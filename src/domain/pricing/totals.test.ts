import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discountLines } from './totals.ts';

const lines = [{ description: 'Assay', quantity: 1, unit_price_cents: 10_000, total_cents: 10_000 }];

test('discount: a percentage, or an amount → its line names the percentage once, or none', () => {
  const named = (description: string, basis_points?: number) => {
    const discount =
      basis_points === undefined ? { description, amount_cents: 5 } : { description, basis_points };
    return discountLines(lines, [discount])[0]?.description;
  };
  assert.equal(named('Framework agreement', 1_000), 'Framework agreement, 10 %');
  assert.equal(named('Volume', 1_250), 'Volume, 12.5 %');
  assert.equal(named('Small', 5), 'Small, 0.05 %');
  assert.equal(named('Goodwill'), 'Goodwill');
  for (const said of ['10% off', 'Agreed 10 % off']) assert.equal(named(said, 1_000), said);
  assert.equal(named('Rebat 12,5 %', 1_250), 'Rebat 12,5 %');
  assert.equal(named('110 % effort', 1_000), '110 % effort, 10 %');
});
