import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeAffinitySets } from '../../../affinity/engine/affinity.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import type { TraceAssignment } from '../assignments.ts';
import { DOSES_M, createSingleCycleTrace, createTraceSet } from '#testing/analysis/single-cycle.ts';
import { computeRelativeError } from '#testing/analysis/synthetic.ts';
import type { Trace } from '#analysis/curves/trace.ts';

const KINETICS = { kon: 2e5, koff: 2e-3 };

function createSingleCycle(stated: boolean): Trace {
  return createSingleCycleTrace({ kinetics: KINETICS, seed: 7, stated });
}

for (const stated of [true, false]) {
  test(`single cycle: one trace with concentrations from ${stated ? 'the file' : 'the settings'} → its KD`, () => {
    const assign: Record<string, TraceAssignment> = stated ? {} : { A1: { injectionsM: DOSES_M } };
    const [sequence] = analyzeAffinitySets([createTraceSet(createSingleCycle(stated))], { assign }).sequences;
    const [replicate] = sequence.replicates;
    assert.ok(computeRelativeError(sequence.kd?.value, 1e-8) < 0.03, `${sequence.kd?.value}`);
    assert.equal(sequence.kd?.relation, '=');
    assert.ok((sequence.kd?.ci95Low ?? 1) < 1e-8 && (sequence.kd?.ci95High ?? 0) > 1e-8);
    assert.equal(replicate.fit?.singleCycle, true);
    assert.equal(replicate.fit?.model, '1:1');
    assert.ok(computeRelativeError(replicate.rmax?.value, 80) < 0.02);
    assert.ok(!replicate.flags.some((each) => each.code === 'TOO_FEW_CURVES'));
    assert.deepEqual(replicate.concentrationsM, DOSES_M);
  });
}

test('single cycle: several associations without concentrations → failed_qc names the missing setting', () => {
  const [sequence] = analyzeAffinitySets([
    createTraceSet({ ...createSingleCycle(false), concentrationM: 81e-9 }),
  ]).sequences;
  assert.equal(sequence.outcome, 'failed_qc');
  assert.match(sequence.flags[0].message, /assign\["A1"\]\.injections_m/);
  assert.throws(
    () =>
      analyzeAffinitySets([createTraceSet(createSingleCycle(false))], {
        assign: { A1: { injectionsM: [1e-9] } },
      }),
    (error) => error instanceof AnalysisError && /5 concentrations/.test(error.message),
  );
});

test('SPIKE: a single cycle of fast binding → none; a bubble within an injection → told', () => {
  const fast = createSingleCycleTrace({ kinetics: { kon: 3e6, koff: 5e-2 }, seed: 3, stated: true });
  const listFlags = (trace: Trace): string[] =>
    analyzeAffinitySets([createTraceSet(trace)]).sequences[0].flags.map(({ code }) => code);
  assert.ok(!listFlags(fast).includes('SPIKE'));
  const steps = fast.steps.map((step, i) =>
    i === 7 ? { ...step, signal: step.signal.map((value, k) => (k === 40 ? value + 30 : value)) } : step,
  );
  assert.ok(listFlags({ ...fast, steps }).includes('SPIKE'));
});
