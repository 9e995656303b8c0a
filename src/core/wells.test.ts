import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatWell, listPlaces, locateWellOn, countAlongRows, countDownColumns } from './wells.ts';
import type { PlateSize } from './wells.ts';

function requirePlace(size: PlateSize, well: string): { row: number; column: number } {
  const place = locateWellOn(size, well);
  assert.ok(place !== null);
  return place;
}

describe('wells', () => {
  test('wells: A2 of 96 and B1 of 384 → 9 down the columns, 25 along the rows', () => {
    assert.equal(countDownColumns(96, requirePlace(96, 'A2')), 9);
    assert.equal(countAlongRows(384, requirePlace(384, 'B1')), 25);
  });

  test('wells: all places of a plate → have distinct names that lead back to them', () => {
    for (const size of [96, 384] as const) {
      const places = listPlaces(size);
      assert.equal(new Set(places.map(formatWell)).size, size);
      for (const place of places) assert.deepEqual(locateWellOn(size, formatWell(place)), place);
    }
  });

  test('wells: one of 384 on a plate of 96, and a row behind the last → null', () => {
    for (const well of ['I1', 'A13', 'Q1', 'A0']) assert.equal(locateWellOn(96, well), null);
    assert.ok(locateWellOn(384, 'P24') !== null);
    assert.equal(locateWellOn(384, 'Q24'), null);
  });
});
