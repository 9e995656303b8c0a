import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countFreePlaces, IN_FLIGHT_MAX, IN_FLIGHT_WITH_SLOW_MAX } from './rules.ts';

const NOW_MS = 60_000;
const createBegun = (count: number, agoMs: number): number[] =>
  Array.from({ length: count }, () => NOW_MS - agoMs);

test('free places: deliveries that were just begun → they take places; those of slow receivers take none', () => {
  assert.equal(countFreePlaces(createBegun(IN_FLIGHT_MAX, 10), NOW_MS), 0);
  assert.equal(countFreePlaces(createBegun(IN_FLIGHT_MAX, 1_000), NOW_MS), IN_FLIGHT_MAX);
  assert.equal(
    countFreePlaces([...createBegun(6, 10), ...createBegun(600, 1_000)], NOW_MS),
    IN_FLIGHT_MAX - 6,
  );
});

test('free places: as many slow receivers as a process bears → none', () => {
  assert.equal(countFreePlaces(createBegun(IN_FLIGHT_WITH_SLOW_MAX - 1, 1_000), NOW_MS), 1);
  assert.equal(countFreePlaces(createBegun(IN_FLIGHT_WITH_SLOW_MAX, 1_000), NOW_MS), 0);
});
