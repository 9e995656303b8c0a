import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeDrift, joinResults, subtract } from './compare.ts';
import { requireShownAssay } from '#assays/shown.ts';
import type { ComparedRow } from './store.ts';

const { measure } = requireShownAssay('affinity');

function createRow(
  name: string,
  kd: number | null,
  fields: Partial<ComparedRow> = {},
  relation = '=',
): ComparedRow {
  const quantity = { value: kd, relation, unit: 'M', ci95_low: (kd ?? 0) / 2, ci95_high: (kd ?? 0) * 2 };
  return {
    result_id: name,
    sequence_name: name,
    aa_md5: name,
    is_control: false,
    outcome: kd === null ? 'non_binder' : 'measured',
    grade: 'solid',
    place: null,
    quantities: kd === null ? {} : { kd: quantity },
    summary: {},
    ...fields,
  };
}

const readFrom = (kd: number, relation: string) => {
  const [item] = joinResults([[createRow('a', kd, {}, relation)]], measure, 'name');
  return item?.values[0] ?? null;
};

test('difference: ten times weaker with intervals of a factor of two → 1 decade, and an interval wider than each', () => {
  const difference = subtract(readFrom(1e-9, '='), readFrom(1e-8, '='), true);
  assert.ok(Math.abs((difference?.delta ?? 0) - 1) < 1e-9);
  const half = Math.hypot(Math.log10(2), Math.log10(2));
  assert.ok(Math.abs((difference?.ci95_low ?? 0) - (1 - half)) < 1e-9);
  assert.ok(Math.abs((difference?.ci95_high ?? 0) - (1 + half)) < 1e-9);
});

test('difference: a limit on either side, a missing value → none; an estimate → one', () => {
  for (const relation of ['<', '>']) {
    assert.equal(subtract(readFrom(1e-9, relation), readFrom(1e-8, '='), true), null);
    assert.equal(subtract(readFrom(1e-9, '='), readFrom(1e-8, relation), true), null);
  }
  assert.equal(subtract(null, readFrom(1e-8, '='), true), null);
  assert.notEqual(subtract(readFrom(1e-9, '~'), readFrom(1e-8, '='), true), null);
});

test('comparison: a non-binder, ranks that swap, two controls → no value, moves by one, and the mean shift', () => {
  const first = [
    createRow('a', 1e-9, { place: 1 }),
    createRow('b', 1e-8, { place: 2 }),
    createRow('c', null),
    createRow('control', 1e-7, { is_control: true }),
  ];
  const second = [
    createRow('b', 1e-9, { place: 1 }),
    createRow('a', 1e-8, { place: 2 }),
    createRow('c', 1e-6, { place: 3 }),
    createRow('control', 2e-7, { is_control: true }),
  ];
  const items = joinResults([first, second], measure, 'sequence');
  assert.deepEqual(
    items.map(({ name, differences }) => [name, differences[1]?.rank_change ?? null]),
    [
      ['a', 1],
      ['b', -1],
      ['c', null],
      ['control', null],
    ],
  );
  assert.equal(items[2]?.differences[1], null);
  const drift = computeDrift(items, 1);
  assert.equal(drift.n_controls, 1);
  assert.ok(Math.abs((drift.mean_delta ?? 0) - Math.log10(2)) < 1e-9);
});
