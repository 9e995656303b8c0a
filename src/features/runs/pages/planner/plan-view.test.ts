import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNameShortener } from './plan-view.ts';

const shortenAll = (names: readonly string[]): string[] => names.map(createNameShortener(names));

test('names in wells: a series, names with the same end, codes of orders → what tells them apart is kept', () => {
  assert.deepEqual(shortenAll(['design-1', 'design-12']), ['…ign-1', '…gn-12']);
  assert.deepEqual(shortenAll(['Panitumumab_Fv', 'Trastuzumab_Fv', 'nc-1']), ['Panit…', 'Trast…', 'nc-1']);
  assert.deepEqual(shortenAll(['DEMO-001-002 design-1', 'DEMO-001-003 nc-1']), ['…ign-1', 'nc-1']);
  assert.deepEqual(shortenAll(['Cetuximab scFv', '']), ['… scFv', '']);
});
