/**
 * A reported number with its relation, interval and scatter. A missing value is a null quantity, never a zero.
 * This folder: a value with its relation and interval, and replicates to one value. Not here: how a value is measured.
 */
import {
  decideDoubtedRelation,
  findDecidingCase,
  RELATION_RULES,
  decideRelation,
  type WithheldCase,
  type Relation,
  type LimitCase,
  type RelationCases,
  type DoubtCase,
  type RelationCase,
} from '#core/relations.ts';
import { NORMAL_95 } from '../numerics/statistics.ts';

export interface Quantity {
  value: number;
  unit: string;
  /** Decided by the table of `core/relations.ts`. */
  relation: Relation;
  /** The case of the table that decided the relation; absent for a measured value, and where replicates were combined. */
  because?: RelationCase | null;
  /** 95 % confidence interval of the value; null for limits and where it is unknown. */
  ci95Low: number | null;
  ci95High: number | null;
  /** Standard deviation (n − 1) of log10 over replicates; null with fewer than two measured replicates. */
  log10Sd: number | null;
  /** Number of replicates behind the value. */
  n: number;
}

/** Makes a single measured value whose natural logarithm has standard error `seLn`. */
export function createMeasuredQuantity(value: number, unit: string, seLn: number | null): Quantity {
  const width = seLn === null ? Number.NaN : Math.exp(NORMAL_95 * seLn);
  const spread = Number.isFinite(width) ? width : null;
  return {
    value,
    unit,
    relation: RELATION_RULES.measured.relation,
    ci95Low: spread === null ? null : value / spread,
    ci95High: spread === null ? null : value * spread,
    log10Sd: null,
    n: 1,
  };
}

/** Makes a single measured value on a linear scale, such as a temperature, with standard error `se` in its unit. */
export function createMeasuredWithin(value: number, unit: string, se: number | null): Quantity {
  const half = se === null || !Number.isFinite(se) ? null : NORMAL_95 * se;
  return {
    value,
    unit,
    relation: RELATION_RULES.measured.relation,
    ci95Low: half === null ? null : value - half,
    ci95High: half === null ? null : value + half,
    log10Sd: null,
    n: 1,
  };
}

/** Like `createMeasuredQuantity`, with an interval given as factors on the value; a null side is open. */
export function createMeasuredBetween(
  value: number,
  unit: string,
  factors: { low: number | null; high: number | null },
): Quantity {
  return {
    ...createMeasuredQuantity(value, unit, null),
    ci95Low: factors.low === null ? null : value * factors.low,
    ci95High: factors.high === null ? null : value * factors.high,
  };
}

/** Makes a limit beyond which the true value lies, with its reason. */
export function createLimit(value: number, unit: string, because: LimitCase): Quantity {
  return {
    ...createMeasuredQuantity(value, unit, null),
    relation: RELATION_RULES[because].relation,
    because,
  };
}

/**
 * States a quantity of one replicate under the given cases: the value found, only `limit` or an end of its interval,
 * or null.
 */
export function stateQuantity(found: Quantity, cases: RelationCases, limit = found.value): Quantity | null {
  const { relation, stated } = decideRelation(cases);
  if (relation === null) return null;
  const because = findDecidingCase(cases);
  if (stated === 'value') return { ...found, relation, because };
  const ends = { limit, low_end: found.ci95Low, high_end: found.ci95High, nothing: null };
  const value = ends[stated];
  return value === null ? null : { ...createMeasuredQuantity(value, found.unit, null), relation, because };
}

/** What was found, unless one of the cases holds in which nothing is stated. */
export function withholdQuantity(
  found: Quantity | null,
  cases: RelationCases<WithheldCase>,
): Quantity | null {
  return decideRelation(cases).relation === null ? null : found;
}

/** Turns a measured value into an estimate where one of the doubts holds; a limit stays one. */
export function applyDoubts<Q extends Quantity | null>(found: Q, doubts: RelationCases<DoubtCase>): Q {
  if (found === null) return found;
  const relation = decideDoubtedRelation(found.relation, doubts);
  return relation === found.relation ? found : { ...found, relation, because: findDecidingCase(doubts) };
}

/**
 * Returns the distance of a value from its expected value in log10; a limit that does not exclude the expected value
 * has distance 0.
 */
export function computeLog10Distance({ value, relation }: Quantity, expected: number): number {
  const apart = Math.log10(value / expected);
  if (relation === '<') return Math.max(0, -apart);
  return relation === '>' ? Math.max(0, apart) : Math.abs(apart);
}
