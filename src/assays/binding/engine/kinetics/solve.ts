/** Levenberg–Marquardt on (ln kon, ln koff) of a separable problem, with a multistart scan on thinned data. */
import { chooseStride, takeEvery } from '#analysis/numerics/thinning.ts';
import { minimizeSquares } from '#analysis/numerics/least-squares.ts';
import { CurveCache } from './curve-cache.ts';
import type { FitCurve } from './model.ts';
import { evaluate, prepareProblem } from './problem.ts';
import type { Evaluation, FitProblem } from './problem.ts';

/** Limits of kon in M⁻¹s⁻¹ and koff in s⁻¹; no sensor of this kind resolves rates beyond them. */
const LN_KON = { min: 0, max: Math.log(1e9) } as const;
const LN_KOFF = { min: Math.log(1e-8), max: Math.log(10) } as const;

const SEARCH = {
  bounds: [
    { ...LN_KON, step: 2 },
    { ...LN_KOFF, step: 2 },
  ],
  iterationsMax: 80,
  damping: { start: 1e-3, min: 1e-14, max: 1e12 },
  ssrTolerance: 1e-10,
  stepTolerance: 5e-8,
  converges: 'both',
  // Rates reach a bound only where the curves do not determine them; a model gains no evidence there.
  atBounds: 'clamp',
} as const;
/** Tolerances of a search that only compares fits: their sums of squares differ by far more. */
const ROUGH = { ...SEARCH, ssrTolerance: 1e-6, stepTolerance: 1e-4, converges: 'either' } as const;
const SCAN_POINTS_PER_CURVE = 48;
const STARTS_REFINED = 2;
/** Two refined starts closer than this in both logarithms are the same minimum. */
const SAME_MINIMUM = 1e-3;

export interface Solution {
  /** At the solution; the buffers of the problem belong to it. */
  evaluation: Evaluation;
  iterations: number;
  converged: boolean;
}

interface Start {
  lnKon: number;
  lnKoff: number;
}

/**
 * Refines one start until it converges; `rough` ends where the sum of squares is good enough to compare fits. `known` is
 * the evaluation that the buffers of the problem hold, so that rates are not evaluated twice.
 */
export function refine(
  problem: FitProblem,
  start: Start,
  effort: 'precise' | 'rough' = 'precise',
  known: Evaluation | null = null,
): Solution {
  let last = known;
  const found = minimizeSquares(
    {
      evaluate: ([lnKon, lnKoff]: readonly number[]) => {
        if (last?.lnKon !== lnKon || last.lnKoff !== lnKoff) last = evaluate(problem, lnKon, lnKoff);
        return last;
      },
      linearize: ({ aa, ad, dd, ga, gd }: Evaluation) => ({
        jtj: [
          [aa, ad],
          [ad, dd],
        ],
        jtr: [ga, gd],
      }),
    },
    [start.lnKon, start.lnKoff],
    effort === 'rough' ? ROUGH : SEARCH,
  );
  const { at, iterations, converged } = found;
  const evaluation = last === at ? at : evaluate(problem, at.lnKon, at.lnKoff);
  return { evaluation, iterations, converged };
}

/** Returns the rates of the next full Gauss–Newton step and the sum of squares there if the model were linear; NaN where they are open. */
export function computeStepAhead({
  lnKon,
  lnKoff,
  ssr,
  aa,
  ad,
  dd,
  ga,
  gd,
}: Evaluation): Start & { ssr: number } {
  const determinant = aa * dd - ad * ad;
  if (!(determinant > 0)) return { lnKon: Number.NaN, lnKoff: Number.NaN, ssr: Number.NEGATIVE_INFINITY };
  const byKon = (dd * ga - ad * gd) / determinant;
  const byKoff = (aa * gd - ad * ga) / determinant;
  return { lnKon: lnKon + byKon, lnKoff: lnKoff + byKoff, ssr: ssr - byKon * ga - byKoff * gd };
}

/** Whether both rates are inside the searched range by at least `margin` in the natural logarithm. */
export function isInside(rates: { kon: number; koff: number }, margin: number): boolean {
  const isWithin = (value: number, range: { min: number; max: number }): boolean =>
    Math.log(value) > range.min + margin && Math.log(value) < range.max - margin;
  return isWithin(rates.kon, LN_KON) && isWithin(rates.koff, LN_KOFF);
}

function clamp(value: number, range: { min: number; max: number }): number {
  return Math.max(range.min, Math.min(range.max, value));
}

/**
 * Tries nine starts (three koff around the reciprocal dissociation time × three KD around the concentrations), ranked
 * by SSR on thinned curves. The best two are refined there, and each distinct minimum again on all points.
 */
export function solveMultistart(problem: FitProblem): Solution {
  const coarse = prepareProblem(
    problem.curves.map((curve) => thinCurve(curve, SCAN_POINTS_PER_CURVE)),
    problem.terms,
    problem.time,
  );
  const ranked = findStarts(problem.curves)
    .map((start) => evaluate(coarse, start.lnKon, start.lnKoff))
    .sort((a, b) => a.ssr - b.ssr)
    .slice(0, STARTS_REFINED);
  const minima: Evaluation[] = [];
  for (const start of ranked) {
    const { evaluation } = refine(coarse, start);
    if (!minima.some((known) => isSameMinimum(known, evaluation))) minima.push(evaluation);
  }
  const solutions = minima
    .sort((a, b) => a.ssr - b.ssr)
    .filter((each, index) => index === 0 || each.ssr < 1.5 * minima[0].ssr)
    .map((each) => refine(problem, each));
  const best = solutions.reduce((found, each) => (each.evaluation.ssr < found.evaluation.ssr ? each : found));
  if (best === solutions.at(-1)) return best;
  const { lnKon, lnKoff } = best.evaluation;
  return { ...best, evaluation: evaluate(problem, lnKon, lnKoff) };
}

function isSameMinimum(a: Evaluation, b: Evaluation): boolean {
  return Math.abs(a.lnKon - b.lnKon) < SAME_MINIMUM && Math.abs(a.lnKoff - b.lnKoff) < SAME_MINIMUM;
}

/** The thinned curves of a curve by their stride: fits of the same thinned curve share what they prepare. */
const thinned = new CurveCache<Map<number, FitCurve>>();

/** Keeps every k-th point, so that at most `points` remain. */
export function thinCurve(curve: FitCurve, points: number): FitCurve {
  const stride = chooseStride(curve.timeS.length, points);
  if (stride === 1) return curve;
  const ofCurve = thinned.get(curve, () => new Map());
  const found = ofCurve.get(stride);
  if (found !== undefined) return found;
  // The last point of each stride is kept, because the first points of a curve precede any binding.
  const takePoints = (values: Float64Array): Float64Array => takeEvery(values, stride, stride - 1);
  const thin = { ...curve, timeS: takePoints(curve.timeS), signal: takePoints(curve.signal) };
  ofCurve.set(stride, thin);
  return thin;
}

function findStarts(curves: readonly FitCurve[]): { lnKon: number; lnKoff: number }[] {
  let dissociationS = 1;
  let top = 0;
  let lnSum = 0;
  for (const curve of curves) {
    const endS = curve.timeS[curve.timeS.length - 1];
    dissociationS = Math.max(dissociationS, endS - curve.associationS, 0.2 * endS);
    top = Math.max(top, curve.concentrationM);
    lnSum += Math.log(curve.concentrationM);
  }
  const middle = Math.exp(lnSum / curves.length);
  const found = [];
  for (const exponent of [0.05, 0.7, 10]) {
    for (const kd of [middle / 10, middle, 3 * top]) {
      const lnKoff = clamp(Math.log(exponent / dissociationS), LN_KOFF);
      found.push({ lnKoff, lnKon: clamp(lnKoff - Math.log(kd), LN_KON) });
    }
  }
  return found;
}
