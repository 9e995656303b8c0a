import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFlag } from '#analysis/quality/flags.ts';
import {
  applyDoubts,
  createLimit,
  createMeasuredQuantity,
  stateQuantity,
} from '#analysis/quantities/quantity.ts';
import { tellRelation } from './replicate.ts';

const KD = createMeasuredQuantity(1e-9, 'M', 0.1);
const NEAR = createFlag('KOFF_BELOW_LIMIT', 'info', 'koff is near its limit.', { value: 2e-4, limit: 1e-4 });
const OTHER = createFlag('DRIFT', 'warning', 'The signal drifts.');

test('reason of a relation: a measured KD, no KD → the flags as they are', () => {
  assert.deepEqual(tellRelation(KD, [NEAR, OTHER]), [NEAR, OTHER]);
  assert.deepEqual(tellRelation(null, [NEAR]), [NEAR]);
});

test('reason of a relation: no flag gives it → one is raised with the sentence of the table', () => {
  const told = tellRelation(stateQuantity(KD, { wide_interval: true }), [OTHER]);
  assert.deepEqual(told[0], OTHER);
  assert.deepEqual([told[1].code, told[1].severity], ['POORLY_IDENTIFIED', 'warning']);
  assert.equal(told[1].message, 'KD is an estimate: the interval leaves less than one significant digit.');
});

test('reason of a relation: an information gives it → it becomes a warning that says so', () => {
  const [told] = tellRelation(stateQuantity(KD, { near_assay_limit: true }), [NEAR]);
  assert.equal(told.severity, 'warning');
  assert.match(told.message, /^koff is near its limit\. KD is an estimate: a rate is so close to a limit/);
  assert.deepEqual([told.value, told.limit], [NEAR.value, NEAR.limit]);
});

test('reason of a relation: kon alone is near its limit → the flag of kon', () => {
  const near = createFlag('KON_ABOVE_LIMIT', 'info', 'kon is near its limit.');
  const [told] = tellRelation(stateQuantity(KD, { near_assay_limit: true }), [near]);
  assert.deepEqual([told.code, told.severity], ['KON_ABOVE_LIMIT', 'warning']);
});

test('reason of a relation: a limit, doubted or not → the flags as they are', () => {
  const limit = createLimit(1e-9, 'M', 'rate_beyond_limit');
  assert.deepEqual(tellRelation(limit, [OTHER]), [OTHER]);
  assert.deepEqual(tellRelation(applyDoubts(limit, { rivals_differ: true }), [OTHER]), [OTHER]);
});

test('reason of a relation: other models give another KD → the flag that names them says that KD is an estimate', () => {
  const rivals = createFlag(
    'OTHER_MECHANISM',
    'warning',
    'Other models that fit about as well give 8 to 90 nM.',
  );
  const [told] = tellRelation(applyDoubts(KD, { rivals_differ: true }), [rivals]);
  assert.match(
    told.message,
    /^Other models that fit about as well give 8 to 90 nM\. KD is an estimate: other models/,
  );
});

test('reason of a relation: a drift or times in doubt → their flag says that KD is an estimate', () => {
  const drift = createFlag('DRIFT_FITTED', 'warning', 'A drift was fitted.');
  const times = createFlag('TIME_ZERO_OFFSET', 'warning', 'The association starts later.');
  const [ofDrift] = tellRelation(stateQuantity(KD, { drift_in_doubt: true }), [drift, times]);
  assert.match(ofDrift.message, /^A drift was fitted\. KD is an estimate: a drift that nothing else shows/);
  const [, ofTimes] = tellRelation(stateQuantity(KD, { times_in_doubt: true }), [drift, times]);
  assert.match(ofTimes.message, /^The association starts later\. KD is an estimate: the steps seem to begin/);
});
