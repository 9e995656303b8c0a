import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRecord } from '#core/records.ts';
import type { Exclusion } from '../../review/rules.ts';
import type { WireResult } from '#assays/result-record.ts';
import { withOrder } from './with-order.ts';

const ORDER = { nReplicates: 3, nCurves: 12, experimentType: 'affinity' };

/** A result of which these replicates count, each with four curves unless stated. */
function createResult(replicates: readonly number[], nCurves = 4 * replicates.length): WireResult {
  const counts = {
    n_replicates: replicates.length,
    n_replicates_passed: replicates.length,
    n_curves: nCurves,
  };
  const quantities = {};
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the counts read
  return {
    outcome: 'measured',
    record: { ...counts, qc: { pass: true, flags: [], details: [] }, quantities },
    summary: [{ replicates: replicates.map((replicate) => ({ replicate, outcome: 'measured' })) }],
  } as unknown as WireResult;
}

const exclude = (replicate: number, doseM: number | null = null): Exclusion => ({
  sequence: 'design-1',
  plate: 'P1',
  replicate,
  well: doseM === null ? `A${replicate}` : null,
  concentration_m: doseM,
  decision: 'exclude',
  reason: 'An air bubble.',
});

/** How many curves the files have of a replicate that is left out whole. */
const withCurves = (nCurves: number, own: readonly Exclusion[]) => ({
  own,
  leftOut: own
    .filter(({ concentration_m: dose }) => (dose ?? null) === null)
    .map(({ sequence: sample, plate, replicate }) => ({ sample, plate, replicate, nCurves })),
});

function listFlags(result: WireResult): unknown {
  const { qc } = result.record;
  return isRecord(qc) ? qc.flags : undefined;
}

test('CURVES_MISSING: a replicate is left out whole and curve by curve → its curves are counted once', () => {
  const doses = [1e-6, 1e-7, 1e-8, 1e-9];
  const own = [exclude(2), ...doses.map((dose) => exclude(2, dose))];
  assert.deepEqual(listFlags(withOrder(ORDER, withCurves(4, own), createResult([1]))), [
    'REPLICATES_MISSING',
    'CURVES_MISSING',
  ]);
  assert.deepEqual(listFlags(withOrder(ORDER, withCurves(4, own), createResult([1, 3]))), []);
});

test('REPLICATES_MISSING: a replicate is left out, and another measurement of it counts → it is counted once', () => {
  assert.deepEqual(listFlags(withOrder(ORDER, withCurves(4, [exclude(2)]), createResult([1, 2]))), [
    'REPLICATES_MISSING',
    'CURVES_MISSING',
  ]);
});

test('REPLICATES_MISSING: a measured replicate is left out → it is not missing, but the grade counts without it', () => {
  const { record } = withOrder(ORDER, withCurves(4, [exclude(2)]), createResult([1, 3]));
  assert.ok(isRecord(record.assessment) && Array.isArray(record.assessment.reasons));
  assert.ok(record.assessment.reasons.includes('Not all ordered replicates support it: 2 of 3.'));
});

test('CURVES_MISSING: a replicate that is left out whole had fewer curves than planned → the others are missing', () => {
  const measure = (nCurves: number): unknown =>
    listFlags(withOrder(ORDER, withCurves(nCurves, [exclude(2)]), createResult([1, 3])));
  assert.deepEqual(measure(4), []);
  assert.deepEqual(measure(1), ['CURVES_MISSING']);
});
