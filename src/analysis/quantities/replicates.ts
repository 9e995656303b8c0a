/**
 * Combines replicates to one value: the geometric mean for values that scatter by a factor, the arithmetic mean for
 * values that scatter by a difference.
 */
import { decideAggregateRelation, isLimit } from '#core/relations.ts';
import type { LimitRelation, Relation } from '#core/relations.ts';
import type { Quantity } from './quantity.ts';
import { computeMean, computeStandardDeviation, sumVariances } from '../numerics/moments.ts';
import { computeT95 } from '../numerics/quantiles.ts';
import { computeMedian } from '../numerics/robust.ts';

/**
 * The value of one replicate with its own standard error and the error that all replicates share (a common
 * calibration).
 */
export interface ReplicateValue {
  value: number;
  relation: Relation;
  /** Standard error of the value; of ln(value) for a geometric mean. */
  own: number | null;
  shared?: number;
  /** Degrees of freedom of these errors, where they were estimated from few wells. Default infinite. */
  ownFreedom?: number;
  sharedFreedom?: number;
}

/**
 * Returns the mean with its 95 % interval. The interval is the wider of the scatter of the replicates (t·SD/√n) and
 * their own errors; the shared error is added, with the degrees of freedom of the sum. Replicates that are all limits
 * of one kind give the most cautious of these limits. Limits mixed with values give the median of all as an estimate
 * `~` without interval.
 */
export function combine(
  values: readonly ReplicateValue[],
  unit: string,
  kind: 'geometric' | 'arithmetic',
): Quantity | null {
  const [first] = values;
  if (first === undefined) return null;
  const n = values.length;
  const relation = decideAggregateRelation(values.map((each) => each.relation));
  const none = { unit, relation, ci95Low: null, ci95High: null, log10Sd: null, n };
  if (isLimit(relation)) return { ...none, value: chooseCautious(values, relation) };
  // The median: one replicate at a limit does not distort the others, and an interval would be meaningless.
  if (relation === '~') return { ...none, value: computeMedian(values.map(({ value }) => value)) };
  const isGeometric = kind === 'geometric';
  const scaled = values.map(({ value }) => (isGeometric ? Math.log(value) : value));
  const centre = computeMean(scaled);
  const sd = n > 1 ? computeStandardDeviation(scaled) : null;
  const half = halfWidth(values, sd);
  const back = (value: number): number => (isGeometric ? Math.exp(value) : value);
  return {
    ...none,
    value: back(centre),
    ci95Low: half === null ? null : back(centre - half),
    ci95High: half === null ? null : back(centre + half),
    log10Sd: isGeometric && sd !== null ? sd / Math.LN10 : null,
  };
}

/** Returns, of limits of one kind, the one that excludes least. */
export function chooseCautious(limits: readonly { value: number }[], relation: LimitRelation): number {
  const values = limits.map(({ value }) => value);
  return relation === '<' ? Math.max(...values) : Math.min(...values);
}

function halfWidth(values: readonly ReplicateValue[], sd: number | null): number | null {
  const n = values.length;
  const own = values.flatMap((each) => each.own ?? []);
  const least = (freedoms: readonly (number | undefined)[]): number => {
    return Math.min(...freedoms.map((each) => each ?? Number.POSITIVE_INFINITY));
  };
  const errors = [];
  if (own.length > 0)
    errors.push({ variance: meanSquare(own) / n, freedom: least(values.map((each) => each.ownFreedom)) });
  if (sd !== null) errors.push({ variance: sd ** 2 / n, freedom: n - 1 });
  const [first] = errors.sort(
    (a, b) => computeT95(b.freedom) ** 2 * b.variance - computeT95(a.freedom) ** 2 * a.variance,
  );
  if (first === undefined) return null;
  const shared = values.flatMap((each) => each.shared ?? []);
  const common = {
    variance: shared.length === 0 ? 0 : meanSquare(shared),
    freedom: least(values.map((each) => each.sharedFreedom)),
  };
  const halves = [first, common, sumVariances([first, common])].map(({ variance, freedom }) => {
    return computeT95(freedom) * Math.sqrt(variance);
  });
  // Effective degrees of freedom are an estimate; the maximum ensures that a second error never narrows an interval.
  return Math.max(...halves);
}

function meanSquare(values: readonly number[]): number {
  return computeMean(values.map((value) => value ** 2));
}
