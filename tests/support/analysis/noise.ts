/** Curves of known truth with the noise that sensors have. */
import { NOMINAL_TIME, writeShape } from '#assays/binding/engine/kinetics/model.ts';
import type { FitCurve, Injection, TimeZero } from '#assays/binding/engine/kinetics/model.ts';
import { createShapeBuffers } from '#assays/binding/engine/kinetics/problem.ts';
import { createNormals } from './synthetic.ts';
import type { Kinetics } from './synthetic.ts';

export interface Noise {
  sd: number;
  /** First-order autocorrelation from point to point. */
  rho?: number;
  /** Of white noise beside it. Default 0. */
  whiteSd?: number;
  /** Standard deviation over curves of a linear drift, per s. */
  driftSd?: number;
}

/** Sets that a calibration looks at: `ASSAYER_CALIBRATION_SETS`, or as many as an ordinary run has time for. */
export function countCalibrationSets(usual: number): number {
  const count = Number(process.env['ASSAYER_CALIBRATION_SETS'] ?? usual);
  return Number.isInteger(count) && count > 0 ? count : usual;
}

/** A function that gives the noise of one curve, point by point. */
export function createNoise(
  normal: () => number,
  { sd, rho = 0, whiteSd = 0, driftSd = 0 }: Noise,
): (timeS: number) => number {
  let state = sd * normal();
  const slope = driftSd * normal();
  return (timeS) => {
    state = rho * state + Math.sqrt(1 - rho * rho) * sd * normal();
    return state + slope * timeS + (whiteSd === 0 ? 0 : whiteSd * normal());
  };
}

/** Error of the times of injections that the intervals contain, in s. */
export const TIME_SD_S = 0.125;

/** By how much all injections of a run start and end beside their stated times. */
export function drawTimes(seed: number): TimeZero {
  const normal = createNormals(seed + 500_000);
  return { startS: TIME_SD_S * normal(), endS: TIME_SD_S * normal() };
}

export interface CurveDesign {
  concentrationM: number;
  associationS?: number;
  lengthS?: number;
  points?: number;
  injections?: Injection[];
}

export function createEmptyCurve(design: CurveDesign): FitCurve {
  const { concentrationM, associationS = 300, lengthS = 600, points = 600, injections } = design;
  const timeS = Float64Array.from({ length: points }, (_, i) => ((i + 1) * lengthS) / points);
  return { timeS, signal: new Float64Array(points), concentrationM, associationS, injections };
}

/** 1:1 at unit Rmax; `times`: how much later than stated the injections start and end. */
export function computeOneToOneResponse(
  curve: FitCurve,
  kinetics: Kinetics,
  times: TimeZero = NOMINAL_TIME,
): Float64Array {
  const buffers = createShapeBuffers(curve.timeS.length);
  writeShape(curve, kinetics, times, buffers, 0);
  return buffers.shape;
}
