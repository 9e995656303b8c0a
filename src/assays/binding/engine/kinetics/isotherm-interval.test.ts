/** The interval of an isotherm and that of curves that are resolved in time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLimit, createMeasuredBetween } from '#analysis/quantities/quantity.ts';
import type { Quantity } from '#analysis/quantities/quantity.ts';
import { widenIsotherm } from './isotherm-interval.ts';

const KD_M = 2e-8;
const isotherm = createMeasuredBetween(KD_M, 'M', { low: 0.9, high: 1.1 });
const createRates = (kdM: number) => ({ kdM, seLnKd: 0.02, widening: { kd: 2, kon: 2, koff: 2 } });

function readEnds(found: Quantity | null): number[] {
  assert.ok(found !== null && found.ci95Low !== null && found.ci95High !== null);
  return [found.ci95Low / KD_M, found.ci95High / KD_M].map((value) => Number(value.toFixed(6)));
}

test('isotherm: rates of 1:1 binding that agree within their error → its own interval', () => {
  assert.deepEqual(readEnds(widenIsotherm(isotherm, null, createRates(KD_M * 1.05))), [0.9, 1.1]);
});

test('isotherm: rates of 1:1 binding that contradict it → as far to either side, still measured', () => {
  const found = widenIsotherm(isotherm, null, createRates(KD_M / 1.6));
  assert.deepEqual(readEnds(found), [0.625, 1.6]);
  assert.equal(found?.relation, '=');
});

test('isotherm: rates thirty times apart → an estimate', () => {
  assert.equal(widenIsotherm(isotherm, null, createRates(KD_M / 30))?.relation, '~');
});

test('isotherm: curves whose interval over mechanisms is wider → contained; a narrower one → changes nothing', () => {
  const wide = createMeasuredBetween(KD_M, 'M', { low: 0.5, high: 1.8 });
  const narrow = createMeasuredBetween(KD_M, 'M', { low: 0.98, high: 1.02 });
  assert.deepEqual(readEnds(widenIsotherm(isotherm, wide, createRates(KD_M))), [0.5, 1.8]);
  assert.deepEqual(readEnds(widenIsotherm(isotherm, narrow, createRates(KD_M))), [0.9, 1.1]);
});

test('isotherm: a limit or nothing → as it is', () => {
  const limit = createLimit(KD_M, 'M', 'kd_above_concentrations');
  assert.equal(widenIsotherm(limit, null, createRates(KD_M / 2)), limit);
  assert.equal(widenIsotherm(null, isotherm, createRates(KD_M)), null);
});
