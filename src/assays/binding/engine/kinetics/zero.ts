/**
 * Recognizes curves that were exported with their baseline at zero. Aligning them again would replace a zero that is
 * exact by one with the noise of a baseline.
 */
import { computeCorrelationInflation } from '#analysis/numerics/autocorrelation.ts';
import { fitLine } from '#analysis/numerics/line.ts';
import type { AlignedTrace, Phase } from './align.ts';

/** The levels are those of noise around zero up to this many standard deviations of their sum of squares. */
const CHI_SQUARED_SD = 2;

/**
 * Takes the alignment back where the levels of all traces together are no more than the noise of their baselines.
 * The length of the baseline stays, and with it the uncertainty of the zero.
 */
export function keepZero(traces: readonly AlignedTrace[]): void {
  const squares = traces.map(computeSquare);
  if (squares.length === 0) return;
  const sum = squares.reduce((total, square) => total + square, 0);
  const limit = squares.length + CHI_SQUARED_SD * Math.sqrt(2 * squares.length);
  // A trace without noise or baseline has an infinite square, so that nothing is taken back.
  if (!(sum <= limit)) return;
  for (const trace of traces) {
    for (const phase of [trace.baseline, trace.association, trace.dissociation])
      if (phase !== null) raise(phase, trace.level);
    trace.level = 0;
  }
}

/** Returns the square of the level in units of its standard error. */
function computeSquare({ baseline, level, zeroS }: AlignedTrace): number {
  if (baseline === null || zeroS === 0) return Number.POSITIVE_INFINITY;
  const { timeS, signal } = baseline;
  const fromS = timeS[timeS.length - 1] - zeroS;
  const from = timeS.findIndex((t) => t > fromS);
  const line = fitLine(timeS.subarray(from), signal.subarray(from));
  if (line === null || line.residualSd === 0) return Number.POSITIVE_INFINITY;
  const se =
    (line.residualSd * computeCorrelationInflation(line.autocorrelation)) / Math.sqrt(timeS.length - from);
  return (level / se) ** 2;
}

function raise({ signal }: Phase, by: number): void {
  for (let i = 0; i < signal.length; i += 1) signal[i] += by;
}
