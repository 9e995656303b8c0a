/**
 * One Tm and one ΔH for all replicates of a weak signal, with baselines and a height for each well. Where noise hides
 * much of a curve, the mean of single fits is further off, because a fit that noise leads astray counts as much as one
 * that it does not. What the curves leave open is weighed with what proteins usually show (`weak-signal.ts`).
 */
import { minimizeSquares, type NormalEquations } from '#analysis/numerics/least-squares.ts';
import { computeCorrelationInflation } from '#analysis/numerics/autocorrelation.ts';
import { computeMean, computeChiSquareQuantile } from '#analysis/numerics/statistics.ts';
import type { Examination } from './examine.ts';
import {
  REPLICATE_SEARCH,
  SCAN_POINTS,
  computeBounds,
  findStarts,
  listParameters,
  fitMelt,
  refineMelt,
  thinCurve,
} from './fit.ts';
import type { Curve, MeltFit, Transition } from './fit.ts';
import { KELVIN, R_KCAL, linearize, prepare, solveAt } from './model.ts';
import type { MeltProblem, MeltState } from './model.ts';
import { measureMisfit } from './misfit.ts';
import { CLEAR, computeEvidence, explainNoTransition } from './no-transition.ts';
import type { MeltingLimits } from './settings.ts';
import { averageSteps } from './weak-signal.ts';
import type { WeakStep } from './weak-signal.ts';

export interface JointMelt extends Pick<Transition, 'tmC' | 'seTmC' | 'width' | 'seLnWidth' | 'amplitude'> {
  wells: number;
  isLight: boolean;
  /** The highest step of a well in units of its noise. */
  amplitudeToNoise: number;
  /** The lowest temperature that all wells have. */
  fromC: number;
}

/** Wells whose own fits are together this much better are not alike, so no common fit describes them. */
const ALIKE = 0.999;
/** A steeper step that describes the curves this much better than those of proteins is a jump. */
const LIKE_PROTEIN = 0.95;
/** Tm and ΔH, the parameters that replicates share. */
const SHARED = 2;
const REFINED = 3;
/** Unfolding that does not return moves the middle of a step by this part of RT²/ΔH. */
const SKEW_SHIFT = 0.1;

/** A curve with one transition between straight baselines. */
interface Plain {
  curve: Curve;
  fit: MeltFit;
}

/**
 * Returns null where the signal is not weak, a well needs another model, or the wells are not alike. `isLight` is false of
 * ratios, which heat does not quench.
 */
export function fitJointly(
  examined: readonly Examination[],
  isLight: boolean,
  limits: MeltingLimits,
): JointMelt | null {
  if (examined.length === 0 || !examined.every(isWeak)) return null;
  const wells = examined.flatMap((each) => asPlain(each) ?? []);
  if (wells.length < examined.length) return null;
  const best = fitAll(wells, findCommon(wells));
  const loss = computeLoss(
    wells,
    wells.map(({ fit }) => fit),
    best,
  );
  const freedom = SHARED * (wells.length - 1);
  if (freedom > 0 && loss > computeChiSquareQuantile(ALIKE, freedom)) return null;
  const step = averageSteps(
    wells.map((well) => ({ curve: well.curve, variance: computeVariance(well), isLight })),
    limits.fromEndC,
  );
  const fits = fitAll(wells, [step.tmC + KELVIN, Math.log(step.dhKcalPerMol)]);
  const isSteeper = best[0].transitions[0].width > step.dhKcalPerMol;
  if (isSteeper && computeLoss(wells, best, fits) > computeChiSquareQuantile(LIKE_PROTEIN, SHARED))
    return null;
  const excess = freedom === 0 ? 1 : Math.max(1, loss / freedom);
  const joint = {
    ...summarizeJoint(wells, step, { fits, excess }),
    isLight,
    amplitudeToNoise: Math.max(...examined.map(({ evidence }) => evidence?.amplitudeToNoise ?? 0)),
  };
  return isFound(wells, best, joint, limits) ? joint : null;
}

function fitAll(wells: readonly Plain[], parameters: readonly number[]): MeltFit[] {
  return wells.map(({ curve, fit }) =>
    refineMelt(curve, prepare(curve.temperatureC, curve.signal, fit.model), parameters, 0),
  );
}

/** Returns by how much the sum of squares grows, in variances of an independent reading. */
function computeLoss(wells: readonly Plain[], from: readonly MeltFit[], to: readonly MeltFit[]): number {
  return wells.reduce((sum, well, k) => sum + (to[k].ssr - from[k].ssr) / computeVariance(well), 0);
}

/** Whether noise hides much of the step. */
function isWeak({ evidence }: Examination): boolean {
  return evidence !== null && evidence.amplitudeToNoise < CLEAR.amplitudeToNoise;
}

/** Returns null where the baselines are imposed or shared, or more than noise is left. What noise adds to a weak step is left out. */
function asPlain({ curve, fit, freeTmC }: Examination): Plain | null {
  if (fit === null || freeTmC !== null) return null;
  const { model, transitions } = fit;
  if (model.shape !== 'thermodynamic' || model.baseline.kind !== 'free') return null;
  const isPlain = transitions.length === 1 && !model.isQuenched;
  const plain = isPlain ? fit : fitMelt(curve, { ...model, transitions: 1, isQuenched: false });
  return measureMisfit(curve, plain).isStructured ? null : { curve, fit: plain };
}

/** Returns the variance of an independent reading, with what the correlation of neighbors takes from them. */
function computeVariance({ fit }: Plain): number {
  const inflation = computeCorrelationInflation(fit.autocorrelation);
  return (inflation ** 2 * fit.ssr) / Math.max(1, fit.points - fit.parameters);
}

interface Part {
  problem: MeltProblem;
  variance: number;
}

/** Returns Tm in K and ln ΔH of the best common fit; its starts are those of one curve and the fit of each well. */
function findCommon(wells: readonly Plain[]): number[] {
  const buildParts = (thin: (curve: Curve) => Curve): Part[] =>
    wells.map((well) => {
      const { temperatureC, signal } = thin(well.curve);
      const kept = temperatureC.length / well.curve.temperatureC.length;
      return {
        problem: prepare(temperatureC, signal, well.fit.model),
        variance: kept * computeVariance(well),
      };
    });
  const coarse = buildParts((curve) => thinCurve(curve, SCAN_POINTS));
  const starts = [...wells.map(({ fit }) => listParameters(fit)), ...findStarts(coarse[0].problem, [])];
  const found = starts
    .map((start) => ({ start, ssr: solveParts(coarse, start).ssr }))
    .sort((a, b) => a.ssr - b.ssr)
    .slice(0, REFINED)
    .map(({ start }) => searchParts(coarse, start))
    .reduce((a, b) => (b.ssr < a.ssr ? b : a));
  return searchParts(
    buildParts((curve) => curve),
    found.parameters,
  ).parameters;
}

interface JointState {
  parameters: number[];
  states: MeltState[];
  ssr: number;
}

function solveParts(parts: readonly Part[], parameters: readonly number[]): JointState {
  const states = parts.map(({ problem }) => solveAt(problem, [...parameters]));
  return {
    parameters: [...parameters],
    states,
    ssr: states.reduce((sum, { ssr }, k) => sum + ssr / parts[k].variance, 0),
  };
}

function linearizeParts(parts: readonly Part[], { states }: JointState): NormalEquations {
  const all = parts.map(({ problem, variance }, k) => {
    const { jtj, jtr } = linearize(problem, states[k]);
    return {
      jtj: jtj.map((row) => row.map((value) => value / variance)),
      jtr: jtr.map((value) => value / variance),
    };
  });
  return all.reduce((a, b) => ({
    jtj: a.jtj.map((row, i) => row.map((value, j) => value + b.jtj[i][j])),
    jtr: a.jtr.map((value, i) => value + b.jtr[i]),
  }));
}

function searchParts(parts: readonly Part[], start: readonly number[]): JointState {
  const squares = {
    evaluate: (parameters: readonly number[]) => solveParts(parts, parameters),
    linearize: (at: JointState) => linearizeParts(parts, at),
  };
  return minimizeSquares(squares, start, { ...REPLICATE_SEARCH, bounds: computeBounds(parts[0].problem) }).at;
}

/** `excess` is by how much the wells differ more than their noise, as a factor of the variance. */
function summarizeJoint(
  wells: readonly Plain[],
  { tmC, sdTmC, dhKcalPerMol, sdLnDh }: WeakStep,
  { fits, excess }: { fits: readonly MeltFit[]; excess: number },
): Omit<JointMelt, 'isLight' | 'amplitudeToNoise'> {
  const skewC = (SKEW_SHIFT * R_KCAL * (tmC + KELVIN) ** 2) / dhKcalPerMol;
  return {
    tmC,
    width: dhKcalPerMol,
    seTmC: Math.hypot(Math.sqrt(excess) * sdTmC, skewC),
    seLnWidth: Math.sqrt(excess) * sdLnDh,
    amplitude: computeMean(fits.map(({ transitions }) => transitions[0].amplitude)),
    wells: wells.length,
    fromC: Math.max(...wells.map(({ curve }) => curve.temperatureC[0])),
  };
}

/** Applies the rule of a single curve to all curves: their gains add up, and the noise of their mean is lower. */
function isFound(
  wells: readonly Plain[],
  fits: readonly MeltFit[],
  joint: JointMelt,
  limits: MeltingLimits,
): boolean {
  const signs = new Set(fits.map(({ transitions }) => Math.sign(transitions[0].amplitude)));
  if (signs.size > 1) return false;
  const each = fits.map((fit, k) => computeEvidence(wells[k].curve, fit));
  const evidence = {
    amplitudeToNoise: Math.hypot(...each.map(({ amplitudeToNoise }) => amplitudeToNoise)),
    bicGain: each.reduce((sum, { bicGain }) => sum + bicGain, 0),
    ssrRatio: Math.min(...each.map(({ ssrRatio }) => ssrRatio)),
    gainOverWave: each.reduce((sum, { gainOverWave }) => sum + gainOverWave, 0),
  };
  const [first] = fits;
  const transition = { ...first.transitions[0], ...joint, widthAtBound: false };
  const range = {
    fromC: joint.fromC,
    toC: Math.min(...wells.map(({ curve: { temperatureC: t } }) => t[t.length - 1])),
  };
  return explainNoTransition({ ...first, transitions: [transition] }, evidence, range, limits) === null;
}
