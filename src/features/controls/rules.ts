/** Control charts of Levey and Jennings: series of values, their limits, and the rules that each value breaks. */
import type { experimentTypes } from '../experiments/types.ts';

/** Limits come from the first so many values of a series, and stay; before that they are provisional. */
export const BASELINE_VALUES = 20;

export interface ChartedValue {
  readonly run_id: string;
  readonly experiment_code: string;
  readonly control: string;
  readonly role: 'positive_control' | 'negative_control';
  readonly quantity: ControlQuantity;
  readonly value: number;
  readonly unit: string;
  readonly experiment_type: (typeof experimentTypes)[number];
  /** Empty for a control without a target. */
  readonly target_name: string;
  readonly lot: string | null;
  readonly instrument: string | null;
  readonly plate: string;
  readonly n_replicates: number;
  readonly measured_at: string;
}

interface ChartPoint {
  readonly value: ChartedValue;
  /** Null where the series has no scatter yet. */
  readonly z: number | null;
  readonly rules: readonly WestgardRule[];
}

export interface ControlChart {
  readonly key: string;
  /** The newest value, whose control, lot and instrument are those of the chart. */
  readonly latest: ChartedValue;
  readonly mean: number;
  /** Standard deviation (n − 1); null with fewer than two values. */
  readonly sd: number | null;
  /** Number of values from which the limits come. */
  readonly nBaseline: number;
  readonly isProvisional: boolean;
  readonly points: readonly ChartPoint[];
}

/** What a series has in common: another lot, instrument or target begins a new one. */
function getSeriesKey(value: ChartedValue): string {
  const { control, role, quantity, unit, experiment_type: type } = value;
  const { target_name: target, lot, instrument } = value;
  return JSON.stringify([control, role, quantity, unit, type, target, lot, instrument]);
}

/** Returns the charts of all values, which are in the order of time; the chart with the newest value comes first. */
export function buildCharts(values: readonly ChartedValue[]): ControlChart[] {
  const series = [...Map.groupBy(values, getSeriesKey)].map(([key, same]) => ({
    key,
    same,
    ...computeScores(same),
  }));
  const z = new Map(
    series.flatMap(({ same, z: own }) => same.map((value, index) => [value, own[index] ?? null])),
  );
  const ofRuns = findBreaksOfRuns(values, z);
  const charts = series.flatMap(({ key, same, mean, sd, z: own }): ControlChart[] => {
    const latest = same.at(-1);
    const ofSeries = findSeriesBreaks(own);
    if (latest === undefined) return [];
    return [
      {
        key,
        latest,
        mean,
        sd,
        nBaseline: Math.min(same.length, BASELINE_VALUES),
        isProvisional: same.length < BASELINE_VALUES,
        points: same.map((value, index) => ({
          value,
          z: own[index] ?? null,
          rules: joinRules(ofSeries[index] ?? [], ofRuns.get(value) ?? []),
        })),
      },
    ];
  });
  const place = new Map(values.map((value, index) => [value, index]));
  return charts.toSorted((a, b) => (place.get(b.latest) ?? 0) - (place.get(a.latest) ?? 0));
}

/** Without scatter no value is far from the mean, and `z` is empty. */
function computeScores(same: readonly ChartedValue[]): { mean: number; sd: number | null; z: number[] } {
  const baseline = same.slice(0, BASELINE_VALUES).map(({ value }) => value);
  const mean = baseline.reduce((sum, value) => sum + value, 0) / baseline.length;
  const squares = baseline.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const sd = baseline.length < 2 ? null : Math.sqrt(squares / (baseline.length - 1));
  if (sd === null || sd <= SD_MIN * Math.abs(mean)) return { mean, sd, z: [] };
  return { mean, sd, z: same.map(({ value }) => (value - mean) / sd) };
}

/** Below this fraction of the mean, scatter is an error of rounding. */
const SD_MIN = 1e-12;

/** The controls of a run are judged together where they show the same quantity. */
function findBreaksOfRuns(
  values: readonly ChartedValue[],
  z: ReadonlyMap<ChartedValue, number | null>,
): Map<ChartedValue, WestgardRule[]> {
  const brokenRules = new Map<ChartedValue, WestgardRule[]>();
  const runs = Map.groupBy(values, ({ run_id: run, quantity }) => JSON.stringify([run, quantity]));
  for (const ofRun of runs.values()) {
    const judged = ofRun.flatMap((value) => {
      const own = z.get(value) ?? null;
      return own === null ? [] : [{ value, own }];
    });
    const breaks = findRunBreaks(judged.map(({ own }) => own));
    for (const [index, { value }] of judged.entries()) brokenRules.set(value, breaks[index] ?? []);
  }
  return brokenRules;
}

function joinRules(...lists: readonly (readonly WestgardRule[])[]): WestgardRule[] {
  const codes = new Set(lists.flat());
  return westgardRules.filter((rule) => codes.has(rule));
}

/** Whether a value is out of control; `1_2s` alone only warns. */
export function isOutOfControl({ rules }: Pick<ChartPoint, 'rules'>): boolean {
  return rules.some((rule) => rule !== '1_2s');
}

/**
 * The rules of Westgard over standardized values, z = (value − mean) ÷ SD. A value lies beyond a limit when it exceeds
 * it; a value exactly on the limit or on the mean breaks no rule.
 */

export const westgardRules = [
  '1_2s',
  '1_3s',
  '2_2s',
  'R_4s',
  '4_1s',
  '8_x',
  '10_x',
  '12_x',
  '2of3_2s',
] as const;

export type WestgardRule = (typeof westgardRules)[number];

/** Number of controls in one run from which 2of3_2s takes the place of 2_2s across controls. */
const CONTROLS_OF_2OF3 = 3;

/** Lengths of runs on one side of the mean, the longest first; only the longest that is reached is reported. */
const SIDES = [
  { length: 12, rule: '12_x' },
  { length: 10, rule: '10_x' },
  { length: 8, rule: '8_x' },
] as const;

/**
 * Returns for each value of one control, in the order of time, the rules that it breaks together with the values before
 * it. `2_2s`: it and the one before lie beyond the same 2s limit. `4_1s`: so do four beyond the same 1s limit.
 */
export function findSeriesBreaks(z: readonly number[]): WestgardRule[][] {
  return z.map((value, index) => {
    const found: WestgardRule[] = [];
    if (Math.abs(value) > 2) found.push('1_2s');
    if (Math.abs(value) > 3) found.push('1_3s');
    if (countBeyond(z, index, 2) >= 2) found.push('2_2s');
    if (countBeyond(z, index, 1) >= 4) found.push('4_1s');
    const side = countBeyond(z, index, 0);
    const long = SIDES.find(({ length }) => side >= length);
    if (long !== undefined) found.push(long.rule);
    return found;
  });
}

/** Returns how many values up to this one lie beyond the limit on its side without a break. */
function countBeyond(z: readonly number[], last: number, limit: number): number {
  const sign = Math.sign(z[last] ?? 0);
  let first = last;
  while (first >= 0 && sign * (z[first] ?? 0) > limit) first -= 1;
  return last - first;
}

/**
 * Returns for each control of one run the rules that the controls break together. `R_4s`: one lies above +2s and another
 * below −2s; both break it. `2_2s`: two lie beyond the same 2s limit; with three or more controls `2of3_2s` says so.
 */
export function findRunBreaks(z: readonly number[]): WestgardRule[][] {
  const nAbove = z.filter((value) => value > 2).length;
  const nBelow = z.filter((value) => value < -2).length;
  const together: WestgardRule = z.length >= CONTROLS_OF_2OF3 ? '2of3_2s' : '2_2s';
  return z.map((value) => {
    const nSame = value > 2 ? nAbove : value < -2 ? nBelow : 0;
    const nOpposite = value > 2 ? nBelow : value < -2 ? nAbove : 0;
    return [...(nSame >= 2 ? [together] : []), ...(nOpposite >= 1 ? (['R_4s'] as const) : [])];
  });
}

/** What a control chart can show: the affinity, the melting temperature, or the signal of a control. */
export const controlQuantities = ['kd', 'tm', 'signal'] as const;

export type ControlQuantity = (typeof controlQuantities)[number];
