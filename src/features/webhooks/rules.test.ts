import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import {
  countFreePlaces,
  decideVerdict,
  IN_FLIGHT_MAX,
  IN_FLIGHT_WITH_SLOW_MAX,
  RETRY_DELAYS_MS,
} from './rules.ts';

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

test('Retry-After: seconds and dates of HTTP → that time, at most a day; anything else and the past → the schedule', () => {
  const now = new Date('2026-03-02T09:00:00.000Z');
  const readPauseMs = (retryAfter: string): number => {
    const verdict = decideVerdict({ kind: 'answered', status: 429, retryAfter, excerpt: '' }, 1, now);
    assert.equal(verdict.kind, 'retry');
    return verdict.kind === 'retry' ? verdict.at.getTime() - now.getTime() : 0;
  };
  const [usualMs] = RETRY_DELAYS_MS;
  assert.equal(readPauseMs('90'), 90_000);
  for (const text of ['Mon, 02 Mar 2026 09:02:00 GMT', 'Monday, 02-Mar-26 09:02:00 GMT'])
    assert.equal(readPauseMs(text), 120_000, text);
  for (const text of ['9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'])
    assert.equal(readPauseMs(text), DAY_MS, text);
  for (const text of [
    '0',
    '-5',
    '3600.5',
    '1e9',
    '2030-01-01',
    'Monday',
    'Mon, 02 Mar 2020 09:00:00 GMT',
    '12, 13',
    '',
  ])
    assert.equal(readPauseMs(text), usualMs, text);
});
