/** What differs between two freezes: numbers within a tolerance, everything else to the letter. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Tolerances {
  /** Relative; of values. */
  readonly value: number;
  /** Relative; of the ends of intervals and of standard errors. */
  readonly interval: number;
  /** Below this two numbers are both zero: sums of squares of exact data, correlations of nothing. */
  readonly floor: number;
}

export interface Difference {
  readonly path: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** Relative; null for what is not a number on both sides. */
  readonly size: number | null;
}

/** Fields whose precision is that of an interval's end: ends, standard errors, spreads of replicates. */
const INTERVAL = /^(ci95|se[A-Z]|se$|low$|high$|log10Sd|kdGeometricCv|covariance$|width|standardError)/;

export interface Compared {
  readonly differences: Difference[];
  /** Numbers that were looked at. */
  readonly numbers: number;
  /** Strings, flags, relations, nulls and lengths that were looked at. */
  readonly others: number;
  /** Largest relative difference of values, of intervals, tolerated ones included. */
  readonly largest: { value: number; interval: number };
}

export function compareFreezes(before: Json, after: Json, tolerances: Tolerances): Compared {
  const differences: Difference[] = [];
  const counts = { numbers: 0, others: 0 };
  const largest = { value: 0, interval: 0 };
  const walk = (path: string, isInterval: boolean, a: Json | undefined, b: Json | undefined): void => {
    if (typeof a === 'number' && typeof b === 'number') {
      counts.numbers += 1;
      const scale = Math.max(Math.abs(a), Math.abs(b));
      const size = scale <= tolerances.floor ? 0 : Math.abs(a - b) / scale;
      const kind = isInterval ? 'interval' : 'value';
      largest[kind] = Math.max(largest[kind], size);
      if (size > tolerances[kind]) differences.push({ path, before: a, after: b, size });
    } else if (isObject(a) && isObject(b)) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
        walk(`${path}/${key}`, isInterval || INTERVAL.test(key), a[key], b[key]);
    } else if (Array.isArray(a) && Array.isArray(b)) {
      counts.others += 1;
      if (a.length !== b.length)
        differences.push({ path: `${path}/length`, before: a.length, after: b.length, size: null });
      for (let i = 0; i < Math.min(a.length, b.length); i += 1) walk(`${path}/${i}`, isInterval, a[i], b[i]);
    } else {
      counts.others += 1;
      if (a !== b) differences.push({ path, before: a, after: b, size: null });
    }
  };
  walk('', false, before, after);
  return { differences, ...counts, largest };
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Longer arrays of numbers are points of a picture: their sums are frozen. */
const POINTS_MAX = 24;

/** Plain JSON with sorted keys; packed bytes are left out, and long columns of numbers are summed up. */
export function toJson(value: unknown): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (value instanceof Uint8Array) return `${value.length > 0 ? 'some' : 'no'} bytes`;
  if (value instanceof Float64Array) return toJson([...value]);
  if (value instanceof Map) return toJson(Object.fromEntries(value));
  if (value instanceof Set) return toJson([...value]);
  if (Array.isArray(value)) {
    const numbers = value.filter((each): each is number => typeof each === 'number');
    if (value.length > POINTS_MAX && numbers.length > 0) return sumUp(value.length, numbers);
    return value.map(toJson);
  }
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} cannot be frozen`);
  const entries = Object.entries(value).filter(
    ([, each]) => each !== undefined && typeof each !== 'function',
  );
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, toJson(each)]),
  );
}

function sumUp(length: number, numbers: readonly number[]): Json {
  const sizes = numbers.map(Math.abs);
  return {
    length,
    numbers: numbers.length,
    meanSize: toJson(sizes.reduce((sum, each) => sum + each, 0) / numbers.length),
    rms: toJson(Math.sqrt(numbers.reduce((sum, each) => sum + each * each, 0) / numbers.length)),
    largest: toJson(Math.max(...sizes)),
    first: toJson(numbers[0]),
    last: toJson(numbers[numbers.length - 1]),
  };
}
