import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildDiscountLines } from './totals.ts';

const lines = [{ description: 'Assay', quantity: 1, unit_price_cents: 10_000, total_cents: 10_000 }];

test('discount: a percentage, or an amount → its line names the percentage once, or none', () => {
  const createNamed = (description: string, basis_points?: number) => {
    const discount =
      basis_points === undefined ? { description, amount_cents: 5 } : { description, basis_points };
    return buildDiscountLines(lines, [discount])[0]?.description;
  };
  assert.equal(createNamed('Framework agreement', 1_000), 'Framework agreement, 10 %');
  assert.equal(createNamed('Volume', 1_250), 'Volume, 12.5 %');
  assert.equal(createNamed('Small', 5), 'Small, 0.05 %');
  assert.equal(createNamed('Goodwill'), 'Goodwill');
  for (const said of ['10% off', 'Agreed 10 % off']) assert.equal(createNamed(said, 1_000), said);
  assert.equal(createNamed('Rebat 12,5 %', 1_250), 'Rebat 12,5 %');
  assert.equal(createNamed('110 % effort', 1_000), '110 % effort, 10 %');
});
