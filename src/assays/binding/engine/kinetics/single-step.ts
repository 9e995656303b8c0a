/** Responses that one step describes better than binding does: the level of a sensor, or of a blank, has jumped. */
import { createFlag, type Flag } from '#analysis/quality/flags.ts';
import { countUpTo } from '#analysis/numerics/search.ts';
import type { FitCurve } from './model.ts';
import type { ProcessedCurve } from './process.ts';

/** Binding that is complete earlier looks like a step as well. */
const STEP_AFTER_S = 5;
/** Each level is a mean over at least so many points. */
const LEVEL_POINTS_MIN = 3;
/** Part of the response that the step has to explain. */
const STEP_PART_MIN = 0.5;

interface Step {
  atS: number;
  /** Height on the curve of the highest dose. */
  height: number;
  /** Sum of the squared residuals of all curves. */
  ssr: number;
}

/**
 * Returns a flag where one step, at the same time of association on all curves, leaves smaller residuals than the fit
 * and is most of the response. `fitSsr` is the sum of the squared residuals of the fit over the same points; the curves
 * ascend in concentration.
 */
export function findSingleStep(curves: readonly ProcessedCurve[], fitSsr: number): Flag | null {
  const { fit, response } = curves[curves.length - 1];
  if (fit.injections !== undefined) return null;
  const step = fitStep(curves.map((curve) => curve.fit));
  if (step === null || step.ssr >= fitSsr) return null;
  if (Math.abs(response - step.height) > (1 - STEP_PART_MIN) * response) return null;
  const message = `One jump, ${Math.round(step.atS)} s after the start of association and by ${step.height.toPrecision(2)} at the highest concentration, describes the curves better than binding does.`;
  return createFlag('BASELINE_JUMP', 'warning', message, {
    value: step.height,
    limit: STEP_PART_MIN * response,
  });
}

/** Returns the best common step within association; each curve has levels of its own before and after it. */
function fitStep(fits: readonly FitCurve[]): Step | null {
  const sums = fits.map(({ signal }) => sumUp(signal));
  const top = fits[fits.length - 1];
  let best: Step | null = null;
  for (const atS of top.timeS) {
    if (atS < STEP_AFTER_S || atS >= top.associationS) continue;
    let step: Step | null = { atS, height: 0, ssr: 0 };
    for (const [g, { timeS }] of fits.entries()) {
      const split = splitLevels(sums[g], countUpTo(timeS, atS));
      step =
        split === null || step === null ? null : { atS, height: split.height, ssr: step.ssr + split.ssr };
    }
    if (step !== null && step.ssr < (best?.ssr ?? Number.POSITIVE_INFINITY)) best = step;
  }
  return best;
}

interface Sums {
  /** Sum of the first i values. */
  upTo: Float64Array;
  squares: number;
}

function sumUp(signal: Float64Array): Sums {
  const upTo = new Float64Array(signal.length + 1);
  let squares = 0;
  for (let i = 0; i < signal.length; i += 1) {
    upTo[i + 1] = upTo[i] + signal[i];
    squares += signal[i] ** 2;
  }
  return { upTo, squares };
}

/** Describes a curve by one level of its first `before` points and another of the rest. */
function splitLevels({ upTo, squares }: Sums, before: number): { height: number; ssr: number } | null {
  const n = upTo.length - 1;
  const after = n - before;
  if (before < LEVEL_POINTS_MIN || after < LEVEL_POINTS_MIN) return null;
  const low = upTo[before] / before;
  const high = (upTo[n] - upTo[before]) / after;
  return { height: high - low, ssr: squares - before * low ** 2 - after * high ** 2 };
}
