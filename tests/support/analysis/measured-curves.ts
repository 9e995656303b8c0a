/** Measurements of processed curves of known truth, without a plate around them. */
import type { FitCurve, TimeZero } from '#assays/binding/engine/kinetics/model.ts';
import { measure } from '#assays/binding/engine/kinetics/measure.ts';
import type { Measurement } from '#assays/binding/engine/kinetics/measure.ts';
import type { ProcessedCurve } from '#assays/binding/engine/kinetics/process.ts';
import { resolveSettings } from '#assays/binding/engine/settings.ts';
import type { BindingSettingsInput } from '#assays/binding/engine/settings.ts';
import { computeOneToOneResponse, createEmptyCurve, createNoise, drawTimes, TIME_SD_S } from './noise.ts';
import type { Noise } from './noise.ts';
import { createNormals } from './synthetic.ts';
import type { Kinetics } from './synthetic.ts';

const CONCENTRATIONS_M = [5e-9, 1.5e-8, 5e-8, 1.5e-7];
const POINTS = 120;

/** Returns a curve as processing leaves it, with nothing to remark on but its noise. */
export function toProcessedCurve(fit: FitCurve, change: Partial<ProcessedCurve> = {}): ProcessedCurve {
  return {
    traceId: `c${fit.concentrationM}`,
    well: null,
    concentrationM: fit.concentrationM,
    fit,
    baseline: null,
    dissociationS: 300,
    intervalS: 5,
    response: 1,
    responseSe: 0.004,
    noise: 0.004,
    driftPerS: 0,
    baselineSlope: null,
    baselineSlopeSe: 0,
    sensors: 1,
    pointSe: 0,
    clipping: null,
    leftSignal: 0,
    interStepShift: 0,
    spikes: 0,
    endSlopeFraction: 1,
    plateaus: [],
    loading: null,
    rawTop: 1,
    ...change,
  };
}

function createProcessedCurve(
  kinetics: Kinetics,
  concentrationM: number,
  noise: (timeS: number) => number,
  times: TimeZero,
): ProcessedCurve {
  const curve = createEmptyCurve({ concentrationM, points: POINTS });
  const signal = computeOneToOneResponse(curve, kinetics, times).map(
    (value, i) => value + noise(curve.timeS[i]),
  );
  const response = signal[POINTS / 2 - 1];
  const fit = { ...curve, signal, timeSe: TIME_SD_S };
  return toProcessedCurve(fit, { response, plateaus: [{ concentrationM, response }] });
}

/**
 * Four curves of 300 s of association and 300 s of dissociation, Rmax 1. The injections of all start and end a little
 * beside their stated times.
 */
export function measureCurves(
  kinetics: Kinetics,
  seed: number,
  noise: Noise,
  input: BindingSettingsInput,
): Measurement {
  const normal = createNormals(seed);
  const times = drawTimes(seed);
  const curves = CONCENTRATIONS_M.map((molar) =>
    createProcessedCurve(kinetics, molar, createNoise(normal, noise), times),
  );
  return measure(curves, resolveSettings({ timeZero: 'fixed', ...input }), {
    rmax: 'local',
    signalUnit: 'nm',
  });
}
