/**
 * Combines replicates to one value: the geometric mean for values that scatter by a factor, the arithmetic mean for
 * values that scatter by a difference.
 */
import { isLimit, decideAggregateRelation, type Relation, type LimitRelation } from '#core/relations.ts';
import type { Quantity } from './quantity.ts';
import {
  computeMean,
  computeStandardDeviation,
  sumVariances,
  computeMedian,
  computeT95,
} from '../numerics/statistics.ts';

/**
 * The value of one replicate with its own standard error and the error that all replicates share (a common
 * calibration).
 */
export interface ReplicateValue {
  value: number;
  relation: Relation;
  /** Standard error, of ln(value) for a geometric mean, of each side where they differ. Null where nothing tells it. */
  own: number | null | OwnErrors;
  shared?: number;
  /** Degrees of freedom of these errors, where they were estimated from few wells. Default infinite. */
  ownFreedom?: number;
  sharedFreedom?: number;
}

/** Infinite on a side that the measurement leaves open: then the spread of the replicates alone tells that side of their mean. */
export interface OwnErrors {
  low: number;
  high: number;
}

export interface Combination {
  unit: string;
  /** Geometric for what spreads by a factor, arithmetic for what spreads by a difference. */
  mean: 'geometric' | 'arithmetic';
  /**
   * The estimate where some replicates are values and some are limits: their median, which one limit does not drag along, or their
   * mean. Without an interval unless it is asked for, since limits have none.
   */
  amongLimits: 'median' | 'mean' | 'mean_and_interval';
}

/**
 * Mean with its 95 % interval: the wider of what the replicates show (t·SD/√n) and what their own errors predict, and on top of
 * it the error they share, with the degrees of freedom of the sum. Only limits of one kind give a limit, the most cautious one.
 */
export function combineReplicates(
  values: readonly ReplicateValue[],
  { unit, mean, amongLimits }: Combination,
): Quantity | null {
  if (values.length === 0) return null;
  const n = values.length;
  const relation = decideAggregateRelation(values.map((each) => each.relation));
  const none = { unit, relation, ci95Low: null, ci95High: null, log10Sd: null, n };
  if (isLimit(relation)) return { ...none, value: chooseCautious(values, relation) };
  const isMixed = values.some((each) => isLimit(each.relation));
  if (isMixed && amongLimits === 'median')
    return { ...none, value: computeMedian(values.map(({ value }) => value)) };
  const isGeometric = mean === 'geometric';
  const scaled = values.map(({ value }) => (isGeometric ? Math.log10(value) : value));
  const convertBack = (value: number): number => (isGeometric ? 10 ** value : value);
  const center = computeMean(scaled);
  const sd = n > 1 ? computeStandardDeviation(scaled) : null;
  const log10Sd = isGeometric ? sd : null;
  if (isMixed && amongLimits === 'mean') return { ...none, value: convertBack(center), log10Sd };
  // Errors are those of ln(value), and the mean is that of log10(value).
  const factor = isGeometric ? Math.LOG10E : 1;
  const spread = sd === null ? null : sd / factor;
  const [below, above] = [computeHalfWidth(values, spread, 'low'), computeHalfWidth(values, spread, 'high')];
  return {
    ...none,
    value: convertBack(center),
    ci95Low: below === null ? null : convertBack(center - factor * below),
    ci95High: above === null ? null : convertBack(center + factor * above),
    log10Sd,
  };
}

/** Returns, of limits of one kind, the one that excludes least. */
function chooseCautious(limits: readonly { value: number }[], relation: LimitRelation): number {
  const values = limits.map(({ value }) => value);
  return relation === '<' ? Math.max(...values) : Math.min(...values);
}

function computeHalfWidth(
  values: readonly ReplicateValue[],
  sd: number | null,
  side: keyof OwnErrors,
): number | null {
  const n = values.length;
  const own = values.flatMap(({ own: error }) =>
    error === null ? [] : typeof error === 'number' ? error : error[side],
  );
  const computeLeast = (freedoms: readonly (number | undefined)[]): number => {
    return Math.min(...freedoms.map((each) => each ?? Number.POSITIVE_INFINITY));
  };
  const errors = [];
  if (own.length > 0 && own.every(Number.isFinite))
    errors.push({
      variance: computeMeanSquare(own) / n,
      freedom: computeLeast(values.map((each) => each.ownFreedom)),
    });
  if (sd !== null) errors.push({ variance: sd ** 2 / n, freedom: n - 1 });
  const [first] = errors.sort(
    (a, b) => computeT95(b.freedom) ** 2 * b.variance - computeT95(a.freedom) ** 2 * a.variance,
  );
  if (first === undefined) return null;
  const shared = values.flatMap((each) => each.shared ?? []);
  const common = {
    variance: shared.length === 0 ? 0 : computeMeanSquare(shared),
    freedom: computeLeast(values.map((each) => each.sharedFreedom)),
  };
  const halves = [first, common, sumVariances([first, common])].map(({ variance, freedom }) => {
    return computeT95(freedom) * Math.sqrt(variance);
  });
  // Effective degrees of freedom are an estimate; the maximum ensures that a second error never narrows an interval.
  return Math.max(...halves);
}

function computeMeanSquare(values: readonly number[]): number {
  return computeMean(values.map((value) => value ** 2));
}
