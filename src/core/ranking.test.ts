import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '#testing/properties.ts';
import type { Relation } from './relations.ts';
import { buildRankRange, computePlaces, toRankEnds, type RankRange } from './ranking.ts';

const build = (value: number, relation: Relation = '=', ci95Low: number | null = null, ci95High = ci95Low) =>
  buildRankRange({ value, relation, ci95Low, ci95High }, 'lower');

test('place: a tight binder whose koff is below the limit → not behind a weaker measured one', () => {
  const limit = build(0.1e-9, '<');
  const measured = build(20e-9, '=', 16e-9, 25e-9);
  assert.deepEqual(computePlaces([measured, limit]), [2, 1]);
  assert.ok(toRankEnds(limit).best < toRankEnds(measured).best);
});

test('place: intervals overlap → one place; a later value counts only what is better as a whole', () => {
  const ranges = [build(1, '=', 0.5, 3), build(2, '=', 1, 4), build(9, '=', 8, 10), build(50, '>')];
  assert.deepEqual(computePlaces(ranges), [1, 1, 3, 4]);
});

test('place: a lower limit reaches from its value to infinity → better than nothing with an end', () => {
  const above = build(10, '>');
  assert.deepEqual(above, { best: 10, worst: null });
  assert.deepEqual(computePlaces([above, build(1, '=', 0.5, 3), build(20, '=', 15, 30)]), [2, 1, 2]);
});

test('place: an interval with one end → open at the other; without ends → the value alone', () => {
  const open = buildRankRange({ value: 5, relation: '~', ci95Low: null, ci95High: 9 }, 'lower');
  assert.deepEqual(open, { best: null, worst: 9 });
  assert.deepEqual(build(5), { best: 5, worst: 5 });
  assert.deepEqual(computePlaces([build(5), build(5), build(6)]), [1, 1, 3]);
});

test('place: higher values are better → the highest lower end wins', () => {
  const buildHigher = (value: number, ci95Low: number, ci95High: number) =>
    buildRankRange({ value, relation: '=', ci95Low, ci95High }, 'higher');
  assert.deepEqual(
    computePlaces([buildHigher(60, 59, 61), buildHigher(70, 69, 71), buildHigher(60.5, 59, 62)]),
    [2, 1, 2],
  );
  assert.deepEqual(buildRankRange({ value: 70, relation: '>', ci95Low: null, ci95High: null }, 'higher'), {
    best: null,
    worst: -70,
  });
});

const rangeOf = fc
  .tuple(fc.integer({ min: -5, max: 30 }), fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 9 }))
  .map(([from, width, open]): RankRange => ({
    best: open === 0 ? null : from,
    worst: open === 1 ? null : from + width,
  }));

test('place: any ranges → 1 + the number that are better as a whole, and the order of the bounds never contradicts it', () => {
  fc.assert(
    fc.property(fc.array(rangeOf, { maxLength: 40 }), (ranges) => {
      const places = computePlaces(ranges);
      const ends = ranges.map(toRankEnds);
      const counted = ends.map(({ best }) => 1 + ends.filter(({ worst }) => worst < best).length);
      assert.deepEqual(places, counted);
      const sorted = ends
        .map(({ best }, index) => ({ best, place: places[index] ?? 0 }))
        .toSorted((a, b) => (a.best === b.best ? 0 : a.best < b.best ? -1 : 1));
      const inOrder = sorted.map(({ place }) => place);
      assert.deepEqual(
        inOrder,
        inOrder.toSorted((a, b) => a - b),
      );
    }),
  );
});
