/** How many transitions a curve supports, and whether heat quenches it. */
import {
  SCAN_ITERATIONS_MAX,
  SCAN_POINTS,
  canBeat,
  computeBicGain,
  computeEffectivePoints,
  computePeakWidthC,
  fitMelt,
  getLimits,
  listQuench,
  listTransitions,
  refineMelt,
  search,
  thinCurve,
} from './fit.ts';
import type { Curve, MeltFit } from './fit.ts';
import { KELVIN, evaluate, prepare } from './model.ts';
import type { MeltModel, MeltProblem } from './model.ts';
import { computeDot, solvePositive } from '#analysis/numerics/matrix.ts';

/** Residuals with less autocorrelation leave nothing for a further transition to describe. */
const WHITE = 0.1;
/** A further transition whose Tm has a larger standard error is not accepted. */
const SE_TM_MAX_C = 2;
const BIC_GAIN_MIN = 15;
/**
 * A transition that reduces the sum of squares by more than this factor is obvious, although its few long steps count
 * as few effective points.
 */
const CLEAR_SSR_RATIO = 20;

/**
 * Adds transitions, up to `most`, where BIC supports them (gain above 15, or above 0 where almost no residual is
 * left) and each is plausible: separate from the others, as wide as a protein's, and visibly high. The effective
 * number of points uses the mean autocorrelation of the two models: the simpler one leaves what it does not describe,
 * the other has fitted part of the noise.
 */
export function addTransitions(
  curve: Curve,
  single: MeltFit,
  most: number,
  peaksC: readonly number[] = [],
): MeltFit {
  if (single.autocorrelation < WHITE) return single;
  let best = single;
  let last = single;
  if (peaksC.length > 1 && peaksC.length <= most) {
    const found = fitAtPeaks(curve, single.model, peaksC);
    if (isBetter(best, found) && isPlausible(curve, found) && isResolved(found)) best = last = found;
  }
  for (let count = last.transitions.length + 1; count <= most; count += 1) {
    if (last.autocorrelation < WHITE) break;
    const starts = { known: listTransitions(last), quench: listQuench(last), rival: best };
    last = fitMelt(curve, { ...last.model, transitions: count }, starts);
    if (!(isBetter(best, last) && isPlausible(curve, last))) continue;
    if (isResolved(last)) best = last;
    else if (isBlend(last)) best = { ...best, overlapping: last };
  }
  return best;
}

/**
 * Fits as many transitions as the derivative has peaks, from these peaks, with quenching where BIC supports it. A sum of
 * transitions beside bent baselines has minima that a search which adds one after the other does not leave.
 */
function fitAtPeaks(curve: Curve, model: MeltModel, peaksC: readonly number[]): MeltFit {
  const several = { ...model, transitions: peaksC.length, isQuenched: false };
  const others = getLimits(model.shape).starts.map((width) =>
    peaksC.flatMap((tmC) => [tmC + KELVIN, Math.log(width)]),
  );
  const thin = thinCurve(curve, SCAN_POINTS);
  const coarse = prepare(thin.temperatureC, thin.signal, several);
  const found = others
    .map((start) => search(coarse, start, SCAN_ITERATIONS_MAX).at)
    .reduce((a, b) => (b.ssr < a.ssr ? b : a));
  const straight = refineMelt(curve, prepare(curve.temperatureC, curve.signal, several), found.params);
  return addQuenching(curve, straight, others);
}

/**
 * Adds quenching to a fit with free baselines, where BIC supports it as strongly as it has to support a transition.
 * `others` are further starts of the transitions.
 */
export function addQuenching(curve: Curve, fit: MeltFit, others: readonly number[][] = []): MeltFit {
  const { model } = fit;
  if (!canQuench(model) || model.isQuenched) return fit;
  const bent = { ...model, isQuenched: true };
  const whole = prepare(curve.temperatureC, curve.signal, bent);
  if (others.length === 0 && !mayBend(fit, whole)) return fit;
  const thin = thinCurve(curve, SCAN_POINTS);
  const coarse = prepare(thin.temperatureC, thin.signal, bent);
  const found = [listTransitions(fit), ...others]
    .map((start) => search(coarse, [...start, 0], SCAN_ITERATIONS_MAX).at)
    .reduce((a, b) => (b.ssr < a.ssr ? b : a));
  if (!canBeat(fit, thin, { problem: coarse, ssr: found.ssr })) return fit;
  const quenched = refineMelt(curve, whole, found.params);
  return isQuenchingSupported(fit, quenched) ? quenched : fit;
}

/** A search finds no more than this multiple of the linear forecast. */
const FORECAST_FACTOR = 3;

/** Whether the linear forecast of a fit with quenching leaves a chance that BIC supports it. */
function mayBend(fit: MeltFit, problem: MeltProblem): boolean {
  const { ssr, jtj, jtr } = evaluate(problem, [...listTransitions(fit), 0]);
  const step = solvePositive(jtj, jtr);
  if (step === null) return true;
  const bent = { ssr: ssr - FORECAST_FACTOR * computeDot(step, jtr), parameters: problem.parameters };
  // Quenching that describes the curve leaves no autocorrelation.
  const points = computeEffectivePoints(fit.points, fit.autocorrelation / 2);
  return computeBicGain(fit, bent, points) > BIC_GAIN_MIN;
}

function canQuench({ baseline, shape }: MeltModel): boolean {
  return baseline.kind === 'free' && shape === 'thermodynamic';
}

function isQuenchingSupported(straight: MeltFit, bent: MeltFit): boolean {
  return computeSupport(straight, bent) > BIC_GAIN_MIN;
}

function isBetter(best: MeltFit, last: MeltFit): boolean {
  return computeSupport(best, last) > (best.ssr > CLEAR_SSR_RATIO * last.ssr ? 0 : BIC_GAIN_MIN);
}

/** Returns the BIC gain with the mean autocorrelation of the two. */
function computeSupport(simple: MeltFit, rich: MeltFit): number {
  const points = computeEffectivePoints(simple.points, (simple.autocorrelation + rich.autocorrelation) / 2);
  return computeBicGain(simple, rich, points);
}

/**
 * Only for free baselines, because with imposed ones any bend looks like a further transition. Steps that cancel each
 * other are not unfolding.
 */
function isBlend({ model, transitions }: MeltFit): boolean {
  return (
    model.baseline.kind === 'free' && new Set(transitions.map((each) => Math.sign(each.amplitude))).size === 1
  );
}

/** Overlapping transitions are told apart if they are further apart than this part of their width, and alike in ΔH. */
const TOLD_APART = { part: 0.5, widthRatioMax: 2 } as const;

/**
 * Whether overlapping transitions can be named one by one. A broad one beside a steep one is often the bend of a baseline: so it
 * is on a published titration, whose Tm is that of the steep one.
 */
export function areToldApart(fit: MeltFit): boolean {
  const widths = fit.transitions.map(({ width }) => width);
  return (
    Math.max(...widths) <= TOLD_APART.widthRatioMax * Math.min(...widths) && isResolved(fit, TOLD_APART.part)
  );
}

/** Whether neighbors are further apart than this part of their width at half height. */
function isResolved({ model: { shape }, transitions }: MeltFit, part = 1): boolean {
  return transitions.every((each, k) => {
    const before = transitions[k - 1];
    const apart = before === undefined ? Number.POSITIVE_INFINITY : each.tmC - before.tmC;
    return apart > (part * (computePeakWidthC(before ?? each, shape) + computePeakWidthC(each, shape))) / 2;
  });
}

function isPlausible({ temperatureC: t }: Curve, fit: MeltFit): boolean {
  const { shape } = fit.model;
  const largest = Math.max(...fit.transitions.map(({ amplitude }) => Math.abs(amplitude)));
  return fit.transitions.every((each) => {
    return (
      !each.widthAtBound &&
      Math.abs(each.amplitude) > Math.max(0.1 * largest, 5 * fit.rms) &&
      each.seTmC < SE_TM_MAX_C &&
      each.tmC > t[0] + 3 &&
      each.tmC < t[t.length - 1] - 3 &&
      // A dye only becomes brighter as a protein unfolds.
      (shape !== 'boltzmann' || each.amplitude > 0)
    );
  });
}
