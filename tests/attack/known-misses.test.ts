import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FamilyReport } from './judge/rates.ts';
import { computeLowerLimit } from './judge/statistics.ts';
import { compareWithKnown, findStaleEntries } from './known-misses.ts';

const LIMIT = 0.005;

function makeReport(count: number, trials: number): FamilyReport {
  const lowerLimit = computeLowerLimit(count, trials);
  const hasFailed = lowerLimit > LIMIT;
  const rate = { name: 'silent', count, trials, lowerLimit, limit: LIMIT, hasFailed, seeds: [7] };
  return {
    family: 'jumps',
    runs: trials,
    binders: trials,
    nonBinders: 0,
    rates: [rate],
    hasFailed,
    medianMs: 1,
  };
}
const listed = [{ family: 'jumps', rate: 'silent', share: 0.2, cause: 'a jump moves the plateau' }];

test('known misses: a limit is missed and not listed → its sentence names family, rate and seeds', () => {
  const [sentence] = compareWithKnown([makeReport(9, 50)], []);
  assert.match(sentence ?? '', /jumps misses its limit of silent: 9 of 50; seeds 7/);
});

test('known misses: a listed limit is missed, a limit that is not listed is kept → nothing to say', () => {
  assert.deepEqual(compareWithKnown([makeReport(9, 50)], listed), []);
  assert.deepEqual(compareWithKnown([makeReport(0, 50)], []), []);
});

test('known misses: a listed limit is kept again → take it off the list', () => {
  assert.match(compareWithKnown([makeReport(0, 50)], listed)[0] ?? '', /take it off the list/);
});

test('known misses: too few runs to show a rare miss → the entry stays', () => {
  const rare = [{ family: 'jumps', rate: 'silent', share: 0.02, cause: 'a jump moves the plateau' }];
  assert.deepEqual(compareWithKnown([makeReport(0, 50)], rare), []);
  assert.equal(compareWithKnown([makeReport(0, 2000)], rare).length, 1);
});

test('known misses: an entry of no rate → stale', () => {
  assert.deepEqual(findStaleEntries([makeReport(9, 50)], listed), []);
  const misspelled = [{ family: 'jump', rate: 'silent', share: 0.2, cause: 'misspelled' }];
  assert.deepEqual(findStaleEntries([makeReport(9, 50)], misspelled), misspelled);
});
