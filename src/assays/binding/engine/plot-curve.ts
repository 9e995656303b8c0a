/** Processed curves as points to draw. */
import type { PlotCurve } from '#analysis/curves/packed-curves.ts';
import type { ProcessedCurve } from './kinetics/process.ts';

/** Significant digits of stored curve points: more than any sensor resolves. */
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
    injections: curve.fit.injections ?? null,
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

/**
 * Rounds the values to the stored digits. Neighboring values mostly share a decade, so it is looked up only when it
 * changes.
 */
export function roundPoints(values: Float64Array): Float64Array {
  const found = new Float64Array(values.length);
  let least = 0;
  let most = 0;
  let scale = 0;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i];
    const size = Math.abs(value);
    if (!(size >= least && size < most)) {
      const decade = Math.floor(Math.log10(size));
      least = getPowerOfTen(decade);
      most = getPowerOfTen(decade + 1);
      scale = getPowerOfTen(CURVE_DIGITS - 1 - decade);
    }
    found[i] = Number.isFinite(scale) ? Math.round(value * scale) / scale : value;
  }
  return found;
}

/** Largest tabulated exponent of ten; it covers the decades of all signals and times. */
const EXPONENT_MAX = 30;
const POWERS = Float64Array.from({ length: 2 * EXPONENT_MAX + 1 }, (_, i) => 10 ** (i - EXPONENT_MAX));

function getPowerOfTen(exponent: number): number {
  return Math.abs(exponent) <= EXPONENT_MAX ? POWERS[exponent + EXPONENT_MAX] : 10 ** exponent;
}
