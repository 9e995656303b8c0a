/**
 * What a drift of its own sensor may add to a response. Sensors at the edge of a tray dry and warm up at another rate
 * than the references, so subtraction leaves their drift. A sensor that only drifts has one slope in its baseline and
 * in its dissociation; a binder falls in the latter, so that its drift is not overestimated.
 */
import { fitLine } from '#analysis/numerics/line.ts';
import { keepPoints } from '#analysis/numerics/thinning.ts';
import type { BindingSettings } from '../settings.ts';
import type { ProcessedCurve } from './process.ts';

export interface SensorDrift {
  /** What the drift adds to the response, with its standard error, in the unit of the signal. */
  shift: number;
  se: number;
  /** Whether it stands out from its error. */
  isClear: boolean;
  /** Whether baseline and dissociation agree on it, as they do on a sensor that only drifts. */
  isSteady: boolean;
}

interface Slope {
  perS: number;
  se: number;
}

/** The first seconds of dissociation, in which liquids are exchanged. */
const EXCHANGE_S = 5;
const SEEN_SE = 3;

/** Returns null for a curve without a slope to judge by. */
export function measureSensorDrift(curve: ProcessedCurve, settings: BindingSettings): SensorDrift | null {
  const { baselineSlope, baselineSlopeSe, fit } = curve;
  if (fit.injections !== undefined) return null;
  const baseline = baselineSlope === null ? null : { perS: baselineSlope, se: baselineSlopeSe };
  const slopes = [baseline, measureDissociation(curve)].filter((slope) => slope !== null && slope.se > 0);
  if (slopes.length === 0) return null;
  const known = slopes.flatMap((slope) => slope ?? []);
  const mean = combineSlopes(known);
  const agree = known.every(({ perS, se }) => Math.abs(perS - mean.perS) <= SEEN_SE * se);
  // A drift that fades is steeper before association than after it: then the steeper slope counts.
  const isSteeper =
    isClear(baseline) && !(baseline.perS * mean.perS > 0 && Math.abs(mean.perS) > Math.abs(baseline.perS));
  const drift = !agree && isSteeper ? baseline : mean;
  // From the middle of the baseline that was set to zero to the middle of the end of association.
  const durationS = fit.associationS + (settings.baselineS - settings.responseS) / 2;
  return {
    shift: drift.perS * durationS,
    se: drift.se * durationS,
    isClear: isClear(drift),
    isSteady: agree,
  };
}

function isClear(slope: Slope | null): slope is Slope {
  return slope !== null && Math.abs(slope.perS) > SEEN_SE * slope.se;
}

function measureDissociation({ fit }: ProcessedCurve): Slope | null {
  const { timeS, signal } = keepPoints(fit, (t) => t >= fit.associationS + EXCHANGE_S);
  const line = fitLine(timeS, signal);
  return line === null ? null : { perS: line.slope, se: line.slopeSe };
}

function combineSlopes(slopes: readonly Slope[]): Slope {
  const weight = slopes.reduce((sum, { se }) => sum + se ** -2, 0);
  return {
    perS: slopes.reduce((sum, { perS, se }) => sum + perS * se ** -2, 0) / weight,
    se: weight ** -0.5,
  };
}

/** The response of a sensor that carries nothing that binds: without its drift, where that is seen. */
export function computeUnboundResponse(curve: ProcessedCurve, settings: BindingSettings): number {
  const drift = measureSensorDrift(curve, settings);
  return drift?.isClear === true && drift.isSteady ? curve.response - drift.shift : curve.response;
}
