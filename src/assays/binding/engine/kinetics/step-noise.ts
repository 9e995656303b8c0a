/**
 * How much the level of a sensor jumps where it changes its well, by the sensors of the plate that do not bind. Such
 * jumps are not fitted; their error widens the intervals.
 */
import { fitLine } from '#analysis/numerics/line.ts';
import { computeCorrelationInflation } from '#analysis/numerics/autocorrelation.ts';
import { computeMean } from '#analysis/numerics/statistics.ts';
import { keepPoints } from '#analysis/numerics/thinning.ts';
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

/** Standard deviations of the jumps of a sensor where association and where dissociation starts, in the signal unit. */
export interface StepNoise {
  start: number;
  end: number;
}

/** Returns the jumps of one sensor; 0 where none is seen. */
export function estimateStepNoise(sensors: readonly AlignedTrace[], baselineS: number): StepNoise {
  return {
    start: computeScatter(listGroups(sensors, (sensor) => measureFirstJump(sensor, baselineS))),
    end: computeScatter(listGroups(sensors, measureSecondJump)),
  };
}

function computeScatter(groups: readonly Jump[][]): number {
  let squares = 0;
  let freedom = 0;
  for (const each of groups) {
    if (each.length < JUMPS_MIN) continue;
    const mean = computeMean(each.map(({ height }) => height));
    for (const { height, noise } of each) squares += (height - mean) ** 2 - noise * (1 - 1 / each.length);
    freedom += each.length - 1;
  }
  return freedom === 0 ? 0 : Math.sqrt(Math.max(0, squares / freedom));
}

/** Sensors of one concentration share its refractive index and what binds to them unspecifically. */
function listGroups(
  sensors: readonly AlignedTrace[],
  measure: (sensor: AlignedTrace) => Jump | null,
): Jump[][] {
  const groups = Map.groupBy(sensors, ({ trace }) => trace.concentrationM ?? 0);
  return [...groups.values()].map((group) => group.flatMap((sensor) => measure(sensor) ?? []));
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

function takeStart(phase: Phase): Phase {
  return keepPoints(phase, (t) => t < phase.timeS[0] + LEVEL_S);
}

/** Returns the variance of the mean of `lengthS` of such a signal. */
function estimateLevelNoise({ timeS, signal }: Phase, lengthS: number): number | null {
  const line = fitLine(timeS, signal);
  if (line === null) return null;
  const intervalS = (timeS[timeS.length - 1] - timeS[0]) / (timeS.length - 1);
  const points = Math.max(1, Math.min(timeS.length, lengthS / intervalS));
  return (line.residualSd * computeCorrelationInflation(line.autocorrelation)) ** 2 / points;
}
