/**
 * Tests whether the curves show binding: compares the fit with signals that sensors show without binding. Uses the
 * criterion for models (Schwarz 1978) against the best explanation without binding, so that parsimony alone is never
 * evidence.
 */
import {
  computeDot,
  computeDots,
  mapColumn,
  multiplyColumns,
  solvePositive,
  subtractScaled,
} from '#analysis/numerics/matrix.ts';
import { keepPoints } from '#analysis/numerics/thinning.ts';
import { takeColumn, takeCopy, takeZeros } from './column-room.ts';
import { computeEffectivePoints, EVIDENCE_MIN } from './evidence.ts';
import type { KineticFit } from './fit.ts';
import type { FitCurve, Injection } from './model.ts';

export interface BindingEvidence {
  /** Whether binding lowers BIC by more than 10 against nothing, or a drift and the alignment error. */
  overDrift: boolean;
  /**
   * Whether it also does so against steps at the start and end of each injection with a drift: the curves bend as
   * binding does.
   */
  overSteps: boolean;
}

/** Largest error of the level of a curve in standard errors; one in four hundred lies beyond. */
const LEVEL_SE = 3;

/** A column of one curve; its coefficient stays within `limit`. */
interface Column {
  values: Float64Array;
  limit: number;
}

type Explanation = (curve: FitCurve) => Column[];

const FREE = Number.POSITIVE_INFINITY;

/** Ones where the times are from `fromS` on (or only after it) and at most `toS`. */
function buildBox(
  { timeS }: FitCurve,
  { fromS, toS = FREE, isAfter = false }: { fromS: number; toS?: number; isAfter?: boolean },
): Float64Array {
  const values = takeZeros(timeS.length);
  for (let i = 0; i < values.length; i += 1)
    if ((isAfter ? timeS[i] > fromS : timeS[i] >= fromS) && timeS[i] <= toS) values[i] = 1;
  return values;
}

const buildLevel = ({ timeS }: FitCurve): Float64Array => takeColumn(timeS.length).fill(1);

const explainByDrift: Explanation = ({ timeS }) => [{ values: timeS, limit: FREE }];

/** The baseline that was subtracted, and the shift that joins dissociation to association, each within its error. */
const explainByLevels: Explanation = (curve) => [
  { values: buildLevel(curve), limit: LEVEL_SE * (curve.alignmentSe ?? 0) },
  ...buildDissociationColumns(curve, curve.hasFreeStep === true ? FREE : LEVEL_SE * (curve.joinSe ?? 0)),
];

function buildDissociationColumns(curve: FitCurve, limit: number): Column[] {
  const values = buildBox(curve, { fromS: curve.associationS, isAfter: true });
  return limit > 0 ? [{ values, limit }] : [];
}

const explainByStep: Explanation = (curve) => [{ values: buildBox(curve, { fromS: 0 }), limit: FREE }];

/** A signal only during the injection: a refractive-index change, or binding that is over within a sample. */
const explainByBox: Explanation = (curve) => {
  const { injections, timeS, associationS } = curve;
  if (injections === undefined)
    return [{ values: buildBox(curve, { fromS: 0, toS: associationS }), limit: FREE }];
  return [{ values: mapColumn(timeS, (t) => (isInAnalyte(injections, t) ? 1 : 0)), limit: FREE }];
};

function isInAnalyte(injections: readonly Injection[], timeS: number): boolean {
  return injections.some(({ startS, endS }) => timeS >= startS && timeS <= endS);
}

const combineExplanations =
  (...parts: Explanation[]): Explanation =>
  (curve) =>
    parts.flatMap((part) => part(curve));

const WITHOUT_BINDING: readonly Explanation[] = [
  () => [],
  explainByLevels,
  explainByDrift,
  combineExplanations(explainByDrift, explainByLevels),
];
const STEPS: readonly Explanation[] = [
  explainByBox,
  explainByStep,
  combineExplanations(explainByBox, explainByStep),
].flatMap((steps) => [steps, combineExplanations(steps, explainByDrift)]);

const explainByLevel: Explanation = (curve) => [{ values: buildLevel(curve), limit: FREE }];
const EVERYTHING = combineExplanations(explainByLevel, explainByDrift, explainByBox, explainByStep);

export function evaluateBindingEvidence(curves: readonly FitCurve[], fit: KineticFit): BindingEvidence {
  const overDrift = isBeyond(WITHOUT_BINDING, { curves, fit, ssr: fit.ssr });
  return { overDrift, overSteps: overDrift && isBeyond(STEPS, excludeTurns(curves, fit)) };
}

interface Fitted {
  curves: readonly FitCurve[];
  fit: KineticFit;
  /** Sum of squares of the fit over the points of these curves. */
  ssr: number;
}

function isBeyond(explanations: readonly Explanation[], { curves, fit, ssr }: Fitted): boolean {
  const points = computeEffectivePoints(fit);
  const hasLowerCriterion = (explanation: Explanation, isFree = false): boolean => {
    const other = explainCurves(curves, explanation);
    const parameters = isFree ? 0 : other.parameters;
    return points * Math.log(other.ssr / ssr) - (fit.p - parameters) * Math.log(points) > EVIDENCE_MIN;
  };
  // Comparing with all explanations at once, at no cost in parameters, decides most binders quickly.
  return hasLowerCriterion(EVERYTHING, true) || explanations.every((each) => hasLowerCriterion(each));
}

/** Number of sampling intervals that the start or end of an injection takes; the points within are not kinetics. */
const TURN_INTERVALS = 1.5;

function excludeTurns(curves: readonly FitCurve[], fit: KineticFit): Fitted {
  let ssr = 0;
  const kept = curves.map((curve, g) => {
    const { timeS, associationS, injections } = curve;
    const turns = injections?.flatMap(({ startS, endS }) => [startS, endS]) ?? [0, associationS];
    const awayS = TURN_INTERVALS * (timeS[1] - timeS[0]);
    const isOff = (t: number): boolean => {
      for (let k = 0; k < turns.length; k += 1) if (!(Math.abs(t - turns[k]) > awayS)) return false;
      return true;
    };
    const { residual } = fit.curves[g];
    const left = keepPoints({ timeS, signal: residual }, isOff).signal;
    ssr += computeDot(left, left);
    return { ...curve, ...keepPoints(curve, isOff) };
  });
  return { curves: kept, fit, ssr };
}

function explainCurves(
  curves: readonly FitCurve[],
  explanation: Explanation,
): { ssr: number; parameters: number } {
  let ssr = 0;
  let parameters = 0;
  for (const curve of curves) {
    const columns = explanation(curve);
    ssr += computeRemainder(curve.signal, columns);
    parameters += columns.length;
  }
  return { ssr, parameters };
}

/**
 * Returns the sum of squares of a least-squares fit; a coefficient beyond its limit is set to the limit and the
 * others are fitted again.
 */
function computeRemainder(signal: Float64Array, columns: readonly Column[]): number {
  const left = takeCopy(signal);
  let free = [...columns];
  while (free.length > 0) {
    const coefficients = solveCoefficients(left, free);
    if (coefficients === null) {
      // Curves that end with association have no dissociation step; the remaining columns suffice.
      free = free.slice(0, -1);
      continue;
    }
    const exceededIndex = free.findIndex(({ limit }, i) => Math.abs(coefficients[i]) > limit);
    const chosen = exceededIndex < 0 ? free : [free[exceededIndex]];
    for (const each of chosen) {
      const at = coefficients[free.indexOf(each)];
      subtractScaled(left, each.values, Math.max(-each.limit, Math.min(each.limit, at)));
    }
    free = free.filter((each) => !chosen.includes(each));
  }
  return computeDot(left, left);
}

function solveCoefficients(signal: Float64Array, columns: readonly Column[]): number[] | null {
  const values = columns.map((column) => column.values);
  return solvePositive(multiplyColumns(values), computeDots(signal, values));
}
