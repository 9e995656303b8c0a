/** Traces of single-cycle kinetics with known truth. */
import type { TimeZero } from '#assays/binding/engine/kinetics/model.ts';
import type { Trace, TraceSet, TraceStep } from '#analysis/curves/trace.ts';
import { createEmptyCurve, computeOneToOneResponse } from './noise.ts';
import { createNormals } from './synthetic.ts';
import type { Kinetics } from './synthetic.ts';

export const DOSES_M = [1e-9, 3e-9, 9e-9, 27e-9, 81e-9];
const BASELINE_S = 60;
/** In RU. */
const RMAX = 80;
const NOISE_SD = 0.2;

/**
 * One surface, five injections of 100 s with 50 s of buffer between them, then 800 s of buffer; `stated`: the steps name their
 * concentrations; `times`: how much later than stated all injections start and end.
 */
export function createSingleCycleTrace(of: {
  kinetics: Kinetics;
  seed: number;
  stated: boolean;
  times?: TimeZero;
}): Trace {
  const normal = createNormals(of.seed);
  const injections = DOSES_M.map((concentrationM, i) => ({
    startS: 150 * i,
    endS: 150 * i + 100,
    concentrationM,
  }));
  const curve = createEmptyCurve({
    concentrationM: 81e-9,
    associationS: 700,
    lengthS: 1500,
    points: 1500,
    injections,
  });
  const bound = computeOneToOneResponse(curve, of.kinetics, of.times);
  const signalAt = (t: number): number => (t <= 0 ? 0 : RMAX * bound[t - 1]) + NOISE_SD * normal() + 12;
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
    { ...step('association', 150 * i, 150 * i + 100), ...(of.stated ? { concentrationM } : {}) },
    step('dissociation', 150 * i + 100, i === 4 ? 1500 : 150 * (i + 1)),
  ]);
  const steps = [step('baseline', -BASELINE_S, 0), ...cycles];
  return { id: 'A1', well: null, role: 'sample', sample: 'x', replicate: 1, concentrationM: null, steps };
}

export function createTraceSet(trace: Trace): TraceSet {
  const common = {
    format: 'test',
    technique: 'spr',
    signalUnit: 'RU',
    instrument: null,
    plate: null,
  } as const;
  return { ...common, metadata: {}, notices: [], traces: [trace] };
}
