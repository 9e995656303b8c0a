/**
 * Baseline slopes that all curves of an experiment share, fitted together with the curves: the rule for titrations of one protein, where single curves contain too little of both baselines. Every curve keeps its own Tm, ΔH and intercepts.
 *
 * The outer search is over the two slopes, the inner one over the curves: with all else at its optimum, the gradient and Gauss–Newton matrix of the
 * slopes are sums over curves (the Schur complement of the joint normal equations).
 */
import { minimizeSquares, type NormalEquations } from '#analysis/numerics/least-squares.ts';
import { fitMelt, listParameters, refineMelt, thinCurve } from './fit.ts';
import type { Curve, MeltFit } from './fit.ts';
import { evaluate, prepare } from './model.ts';
import type { MeltModel, MeltProblem } from './model.ts';
import { computeDot, solvePositive, subtractScaled } from '#analysis/numerics/matrix.ts';
import { computeMedian } from '#analysis/numerics/statistics.ts';

export interface SharedSlopes {
  foldedPerC: number;
  unfoldedPerC: number;
  converged: boolean;
  /** In the order of the curves. */
  fits: MeltFit[];
}

const ANY = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY, step: Number.POSITIVE_INFINITY };
const SEARCH = {
  bounds: [ANY, ANY],
  iterationsMax: 40,
  damping: { start: 1e-3, min: 1e-12, max: 1e8 },
  ssrTolerance: 1e-8,
  stepTolerance: 0,
  converges: 'either',
  atBounds: 'hold',
} as const;
const SCAN_POINTS = 64;
const REFINED = 2;

interface Slopes {
  folded: number;
  unfolded: number;
}

/** `free` are the fits of the same curves, each with its own slopes; the search starts from their spread. */
export function fitSharedSlopes(curves: readonly Curve[], free: readonly MeltFit[]): SharedSlopes {
  const { model } = free[0];
  const coarse = curves.map((curve) => thinCurve(curve, SCAN_POINTS));
  const ranked = listStarts(free)
    .map((slopes) => {
      const fits = coarse.map((curve) => fitMelt(curve, withSlopes(model, slopes)));
      return { slopes, fits, ssr: sumSsr(fits) };
    })
    .sort((a, b) => a.ssr - b.ssr)
    .slice(0, REFINED);
  const { slopes } = ranked
    .map((start) => descend(coarse, model, start))
    .reduce((a, b) => (b.ssr < a.ssr ? b : a));
  const fits = curves.map((curve) => fitMelt(curve, withSlopes(model, slopes)));
  const found = descend(curves, model, { slopes, fits, ssr: sumSsr(fits) });
  return {
    foldedPerC: found.slopes.folded,
    unfoldedPerC: found.slopes.unfolded,
    converged: found.converged,
    fits: found.fits,
  };
}

/** Lowest, middle and highest of the free slopes, in all combinations. */
function listStarts(free: readonly MeltFit[]): Slopes[] {
  const spread = (values: number[]): number[] => [
    Math.min(...values),
    computeMedian(values),
    Math.max(...values),
  ];
  const folded = spread(free.map((fit) => fit.foldedSlopePerC));
  const unfolded = spread(free.map((fit) => fit.unfoldedSlopePerC));
  return folded.flatMap((each) => unfolded.map((other) => ({ folded: each, unfolded: other })));
}

interface State {
  slopes: Slopes;
  fits: MeltFit[];
  ssr: number;
}

/** Fits the curves again for every pair of slopes, each from its last parameters. */
function descend(curves: readonly Curve[], model: MeltModel, start: State): State & { converged: boolean } {
  const { at, converged } = minimizeSquares<State, NormalEquations>(
    {
      evaluate: ([folded, unfolded], from) => {
        if (from === null) return start;
        const slopes = { folded, unfolded };
        const fits = curves.map((curve, c) => {
          const problem = prepare(curve.temperatureC, curve.signal, withSlopes(model, slopes));
          return refineMelt(curve, problem, listParameters(from.fits[c]));
        });
        return { slopes, fits, ssr: sumSsr(fits) };
      },
      linearize: ({ fits }) => linearizeSlopes(curves, fits),
    },
    [start.slopes.folded, start.slopes.unfolded],
    SEARCH,
  );
  return { ...at, converged };
}

function withSlopes(model: MeltModel, { folded, unfolded }: Slopes): MeltModel {
  return { ...model, baseline: { kind: 'given', folded, unfolded } };
}

function sumSsr(fits: readonly MeltFit[]): number {
  return fits.reduce((sum, fit) => sum + fit.ssr, 0);
}

function linearizeSlopes(curves: readonly Curve[], fits: readonly MeltFit[]): NormalEquations {
  const jtj = [
    [0, 0],
    [0, 0],
  ];
  const jtr = [0, 0];
  for (const [c, curve] of curves.entries()) {
    const problem = prepare(curve.temperatureC, curve.signal, fits[c].model);
    const at = evaluate(problem, listParameters(fits[c]));
    const columns = buildSlopeColumns(problem);
    const { residual, jacobian } = problem.buffers;
    for (const column of columns) {
      // Projects out the linear columns (orthonormal after an evaluation), then the nonlinear ones.
      for (const basis of [...problem.fixed, ...problem.buffers.columns.slice(0, problem.model.transitions)])
        subtractScaled(column, basis, computeDot(basis, column));
      const along = solvePositive(
        at.jtj,
        jacobian.map((each) => computeDot(each, column)),
      );
      for (const [p, each] of jacobian.entries()) subtractScaled(column, each, along?.[p] ?? 0);
    }
    for (const [i, a] of columns.entries()) {
      jtr[i] += computeDot(a, residual);
      for (const [j, b] of columns.entries()) jtj[i][j] += computeDot(a, b);
    }
  }
  return { jtj, jtr };
}

/** ∂model/∂slope per °C of the folded and the unfolded baseline. */
function buildSlopeColumns({ x, halfK, buffers }: MeltProblem): [Float64Array, Float64Array] {
  const { mean } = buffers;
  return [x.map((value, i) => value * halfK * (1 - mean[i])), x.map((value, i) => value * halfK * mean[i])];
}
