import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeAffinitySets } from '../affinity.ts';
import { AnalysisError } from '../errors.ts';
import { emptyCurve, oneToOneResponse } from '../testing/noise.ts';
import type { TraceAssignment } from '../assignments.ts';
import { normals, relative } from '../testing/synthetic.ts';
import type { Trace, TraceSet, TraceStep } from '../trace.ts';

const DOSES_M = [1e-9, 3e-9, 9e-9, 27e-9, 81e-9];
const BASELINE_S = 60;

/** One surface, five injections of 100 s with 50 s of buffer between them, then 800 s of buffer. */
function singleCycle(stated: boolean): Trace {
  const normal = normals(7);
  const injections = DOSES_M.map((concentrationM, i) => ({
    startS: 150 * i,
    endS: 150 * i + 100,
    concentrationM,
  }));
  const curve = emptyCurve({
    concentrationM: 81e-9,
    associationS: 700,
    lengthS: 1500,
    points: 1500,
    injections,
  });
  const bound = oneToOneResponse(curve, { kon: 2e5, koff: 2e-3 });
  const signalAt = (t: number): number => (t <= 0 ? 0 : 80 * bound[t - 1]) + 0.2 * normal() + 12;
  const step = (name: TraceStep['step'], fromS: number, toS: number): TraceStep => {
    const timeS = Float64Array.from({ length: toS - fromS }, (_, i) => BASELINE_S + fromS + i);
    return {
      step: name,
      startS: BASELINE_S + fromS,
      timeS,
      signal: timeS.map((t) => signalAt(t - BASELINE_S)),
    };
  };
  const cycles = DOSES_M.flatMap((concentrationM, i) => [
    { ...step('association', 150 * i, 150 * i + 100), ...(stated ? { concentrationM } : {}) },
    step('dissociation', 150 * i + 100, i === 4 ? 1500 : 150 * (i + 1)),
  ]);
  const steps = [step('baseline', -BASELINE_S, 0), ...cycles];
  return { id: 'A1', well: null, role: 'sample', sample: 'x', replicate: 1, concentrationM: null, steps };
}

function setOf(trace: Trace): TraceSet {
  const common = {
    format: 'test',
    technique: 'spr',
    signalUnit: 'RU',
    instrument: null,
    plate: null,
  } as const;
  return { ...common, metadata: {}, notices: [], traces: [trace] };
}

for (const stated of [true, false]) {
  test(`single cycle: one trace gives KD, with concentrations from ${stated ? 'the file' : 'the settings'}`, () => {
    const assign: Record<string, TraceAssignment> = stated ? {} : { A1: { injectionsM: DOSES_M } };
    const [sequence] = analyzeAffinitySets([setOf(singleCycle(stated))], { assign }).sequences;
    const [replicate] = sequence.replicates;
    assert.ok(relative(sequence.kd?.value, 1e-8) < 0.03, `${sequence.kd?.value}`);
    assert.equal(sequence.kd?.relation, '=');
    assert.ok((sequence.kd?.ci95Low ?? 1) < 1e-8 && (sequence.kd?.ci95High ?? 0) > 1e-8);
    assert.equal(replicate.fit?.singleCycle, true);
    assert.equal(replicate.fit?.model, '1:1');
    assert.ok(relative(replicate.rmax?.value, 80) < 0.02);
    assert.ok(!replicate.flags.some((each) => each.code === 'TOO_FEW_CURVES'));
    assert.deepEqual(replicate.concentrationsM, [81e-9]);
  });
}

test('single cycle: several associations without their concentrations say which setting is missing', () => {
  const [sequence] = analyzeAffinitySets([setOf({ ...singleCycle(false), concentrationM: 81e-9 })]).sequences;
  assert.equal(sequence.outcome, 'failed_qc');
  assert.match(sequence.flags[0].message, /assign\["A1"\]\.injectionsM/);
  assert.throws(
    () => analyzeAffinitySets([setOf(singleCycle(false))], { assign: { A1: { injectionsM: [1e-9] } } }),
    (error) => error instanceof AnalysisError && /5 concentrations/.test(error.message),
  );
});
