/**
 * How much the level of a sensor jumps where it changes its well, by the sensors of the plate that do not bind. Such
 * jumps are not fitted; their error widens the intervals.
 */
import { fitLine } from '../../../numerics/line.ts';
import { computeCorrelationInflation } from '../../../numerics/autocorrelation.ts';
import { computeMean } from '../../../numerics/moments.ts';
import { computeMeanOfEnd } from './align.ts';
import type { AlignedTrace, Phase } from './align.ts';

/** Time on either side of a change of wells over which a level is averaged, in s. */
const LEVEL_S = 20;
/** The scatter of fewer jumps says little. */
const JUMPS_MIN = 2;

interface Jump {
  height: number;
  /** Its variance from noise. */
  noise: number;
}

/** Standard deviations of the jumps of one sensor, in the unit of the signal; 0 where none is seen. */
export interface StepNoise {
  /** From the baseline to association. */
  start: number;
  /** From association to dissociation. */
  end: number;
}

/** The wells of the two changes hold different liquids, so one may jump where the other does not. */
export function estimateStepNoise(sensors: readonly AlignedTrace[], baselineS: number): StepNoise {
  return {
    start: computeScatter(sensors.flatMap((sensor) => measureFirstJump(sensor, baselineS) ?? [])),
    end: computeScatter(sensors.flatMap((sensor) => measureSecondJump(sensor) ?? [])),
  };
}

/** Returns the standard deviation of the heights beyond their noise. */
function computeScatter(jumps: readonly Jump[]): number {
  const n = jumps.length;
  if (n < JUMPS_MIN) return 0;
  const mean = computeMean(jumps.map(({ height }) => height));
  let squares = 0;
  for (const { height, noise } of jumps) squares += (height - mean) ** 2 - noise * (1 - 1 / n);
  return Math.sqrt(Math.max(0, squares / (n - 1)));
}

/** The baseline is aligned to zero by its last seconds. */
function measureFirstJump({ baseline, association }: AlignedTrace, baselineS: number): Jump | null {
  const start = takeStart(association);
  const after = estimateLevelNoise(start, LEVEL_S);
  const before = baseline === null ? null : estimateLevelNoise(baseline, baselineS);
  if (after === null || before === null) return null;
  return { height: computeMean(start.signal), noise: after + before };
}

function measureSecondJump({ association, dissociation }: AlignedTrace): Jump | null {
  if (dissociation === null) return null;
  const start = takeStart(dissociation);
  const after = estimateLevelNoise(start, LEVEL_S);
  const before = estimateLevelNoise(association, LEVEL_S);
  if (after === null || before === null) return null;
  const last = computeMeanOfEnd(association.timeS, association.signal, LEVEL_S);
  return { height: computeMean(start.signal) - last, noise: after + before };
}

function takeStart({ timeS, signal }: Phase): Phase {
  const isKept = (_: number, i: number): boolean => timeS[i] < timeS[0] + LEVEL_S;
  return { timeS: timeS.filter(isKept), signal: signal.filter(isKept) };
}

/** Returns the variance of the mean of `lengthS` of such a signal. */
function estimateLevelNoise({ timeS, signal }: Phase, lengthS: number): number | null {
  const line = fitLine(timeS, signal);
  if (line === null) return null;
  const intervalS = (timeS[timeS.length - 1] - timeS[0]) / (timeS.length - 1);
  const points = Math.max(1, Math.min(timeS.length, lengthS / intervalS));
  return (line.residualSd * computeCorrelationInflation(line.autocorrelation)) ** 2 / points;
}
