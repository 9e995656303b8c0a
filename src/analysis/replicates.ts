/** Replicates to one value: geometric mean for what spreads by a factor, arithmetic mean for what spreads by a difference. */
import type { Quantity, Relation } from './quantity.ts';
import { mean, median, standardDeviation, t95 } from './statistics.ts';

const Z95 = 1.959964;

/** One replicate's value with the standard errors that are its own, and those that all replicates share (a common calibration). */
export interface ReplicateValue {
  value: number;
  relation: Relation;
  /** Standard error; of ln(value) for a geometric mean. */
  own: number | null;
  shared?: number;
}

/**
 * Mean with its 95 % interval: the wider of what the replicates show (t·SD/√n) and what their own errors predict, and on top of
 * it the error they share. Only bounds of one kind give a bound, the most cautious one; bounds among values give their median as an
 * estimate `~` without interval.
 */
export function combine(
  values: readonly ReplicateValue[],
  unit: string,
  kind: 'geometric' | 'arithmetic',
): Quantity | null {
  const [first] = values;
  if (first === undefined) return null;
  const n = values.length;
  const relations = new Set(values.map(({ relation }) => relation));
  if (relations.size === 1 && (first.relation === '<' || first.relation === '>')) {
    const bounds = values.map(({ value }) => value);
    const value = first.relation === '<' ? Math.max(...bounds) : Math.min(...bounds);
    return { value, unit, relation: first.relation, ci95Low: null, ci95High: null, log10Sd: null, n };
  }
  if (relations.size > 1 || first.relation === '~') {
    // The median: one replicate at a limit does not drag the others along, and no interval would mean anything.
    const value = median(values.map((each) => each.value));
    return { value, unit, relation: '~', ci95Low: null, ci95High: null, log10Sd: null, n };
  }
  const isGeometric = kind === 'geometric';
  const scaled = values.map(({ value }) => (isGeometric ? Math.log(value) : value));
  const centre = mean(scaled);
  const sd = n > 1 ? standardDeviation(scaled) : null;
  const half = halfWidth(values, sd);
  const back = (value: number): number => (isGeometric ? Math.exp(value) : value);
  return {
    value: back(centre),
    unit,
    relation: '=',
    ci95Low: half === null ? null : back(centre - half),
    ci95High: half === null ? null : back(centre + half),
    log10Sd: isGeometric && sd !== null ? sd / Math.LN10 : null,
    n,
  };
}

function halfWidth(values: readonly ReplicateValue[], sd: number | null): number | null {
  const n = values.length;
  const own = values.flatMap((each) => each.own ?? []);
  const shared = values.flatMap((each) => each.shared ?? []);
  const predicted = own.length === 0 ? null : (Z95 * rootMeanSquare(own)) / Math.sqrt(n);
  const observed = sd === null ? null : (t95(n - 1) * sd) / Math.sqrt(n);
  if (predicted === null && observed === null) return null;
  const common = shared.length === 0 ? 0 : Z95 * rootMeanSquare(shared);
  return Math.hypot(Math.max(predicted ?? 0, observed ?? 0), common);
}

function rootMeanSquare(values: readonly number[]): number {
  return Math.sqrt(mean(values.map((value) => value ** 2)));
}
