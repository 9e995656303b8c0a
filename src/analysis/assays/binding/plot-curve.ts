/** Processed curves as points to draw. */
import type { PlotCurve } from '../../curves/packed-curves.ts';
import type { ProcessedCurve } from './kinetics/process.ts';

/** Digits kept of stored curve points: more than any sensor resolves. */
const CURVE_DIGITS = 6;

/** The curve as it is drawn without a fit: as processed, or the points `shown` of it. */
export function plotCurve(
  curve: ProcessedCurve,
  shown: { timeS: Float64Array; signal: Float64Array } = curve.fit,
): PlotCurve {
  return {
    traceId: curve.traceId,
    well: curve.well,
    concentrationM: curve.concentrationM,
    timeS: roundPoints(shown.timeS),
    signal: roundPoints(shown.signal),
    fit: null,
    residual: null,
    associationS: curve.fit.associationS,
    rmax: null,
    response: curve.response,
    excluded: false,
  };
}

/** The values at so many digits. Neighbours are mostly of one decade, which is looked up anew where they are not. */
export function roundPoints(values: Float64Array): number[] {
  const found = Array.from<number>({ length: values.length });
  let [least, most, scale] = [0, 0, 0];
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i];
    const size = Math.abs(value);
    if (!(size >= least && size < most)) {
      const decade = Math.floor(Math.log10(size));
      least = powerOfTen(decade);
      most = powerOfTen(decade + 1);
      scale = powerOfTen(CURVE_DIGITS - 1 - decade);
    }
    found[i] = Number.isFinite(scale) ? Math.round(value * scale) / scale : value;
  }
  return found;
}

/** Exponents of powers that are at hand: every signal and time has such a decade. */
const EXPONENT_MAX = 30;
const POWERS = Float64Array.from({ length: 2 * EXPONENT_MAX + 1 }, (_, i) => 10 ** (i - EXPONENT_MAX));

function powerOfTen(exponent: number): number {
  return Math.abs(exponent) <= EXPONENT_MAX ? POWERS[exponent + EXPONENT_MAX] : 10 ** exponent;
}
