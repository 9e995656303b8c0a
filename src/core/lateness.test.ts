import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { DAY_MS } from './clock.ts';
import { computeLateLimit, computeWait, countWorkdays } from './lateness.ts';

const toDate = (text: string): Date => new Date(`2026-${text}Z`);

test('workdays: a weekend between → it does not count', () => {
  // 6 March 2026 is a Friday.
  assert.equal(countWorkdays(toDate('03-06T09:00'), toDate('03-09T09:00')), 1);
  assert.equal(countWorkdays(toDate('03-06T09:00'), toDate('03-08T23:00')), 0);
  assert.equal(countWorkdays(toDate('03-07T09:00'), toDate('03-08T20:00')), 0);
  assert.equal(countWorkdays(toDate('03-02T09:00'), toDate('03-16T09:00')), 10);
});

test('workdays: the end is before the start → 0', () =>
  assert.equal(countWorkdays(toDate('03-05T09:00'), toDate('03-03T09:00')), 0));

test('late: the lab exceeds its usual workdays → the days beyond; on the last day → none', () => {
  const waiting = {
    status: 'in_review',
    waiting_actor: 'lab',
    status_since: '2026-03-02T09:00:00Z',
  } as const;
  assert.deepEqual(computeWait(waiting, toDate('03-04T10:00')), { workdays: 2, lateWorkdays: 0 });
  assert.deepEqual(computeWait(waiting, toDate('03-06T10:00')), { workdays: 4, lateWorkdays: 2 });
});

test('late: the client is awaited → never', () => {
  const waiting = {
    status: 'in_queue',
    waiting_actor: 'client',
    status_since: '2026-03-02T09:00:00Z',
  } as const;
  assert.equal(computeWait(waiting, toDate('06-04T10:00')).lateWorkdays, 0);
});

test('late: an order came in at any hour before a workday or a weekend → late only before the limit, and in time at most a day before it', () => {
  const HOURS = 24 * 10;
  for (const now of [toDate('03-13T10:00'), toDate('03-14T10:00'), toDate('03-16T02:00')]) {
    const limit = computeLateLimit('in_review', now);
    assert.ok(limit !== null);
    for (let hour = 0; hour < HOURS; hour++) {
      const since = new Date(now.getTime() - hour * 3_600_000);
      const waiting = {
        status: 'in_review',
        waiting_actor: 'lab',
        status_since: since.toISOString(),
      } as const;
      const isLate = computeWait(waiting, now).lateWorkdays > 0;
      if (isLate) assert.ok(since < limit, since.toISOString());
      else assert.ok(limit.getTime() - since.getTime() <= DAY_MS, since.toISOString());
    }
  }
  assert.equal(computeLateLimit('draft', toDate('03-13T10:00')), null);
});

test('late: the guide names usual workdays → an order of that turn is late the day after', () => {
  const guide = readFileSync(resolve(import.meta.dirname, '../../docs/guide/running-a-lab.md'), 'utf8');
  const [, ...named] =
    /takes longer than usual: (\d+) workdays to quote, (\d+) for materials, (\d+) to start and (\d+) to record a run, (\d+) to analyze, (\d+) to review\./.exec(
      guide,
    ) ?? [];
  const statuses = [
    'waiting_for_confirmation',
    'waiting_for_materials',
    'in_queue',
    'in_production',
    'data_analysis',
    'in_review',
  ] as const;
  // 2 March 2026 is a Monday; four weeks later every turn is late.
  const usual = statuses.map((status) => {
    const waiting = { status, waiting_actor: 'lab', status_since: '2026-03-02T09:00:00Z' } as const;
    const { workdays, lateWorkdays } = computeWait(waiting, toDate('03-30T09:00'));
    return workdays - lateWorkdays;
  });
  assert.deepEqual(usual, named.map(Number));
});
