/**
 * Levey–Jennings charts: the values of a control by run, with the mean and the standard deviation of its first runs. A
 * control has a series for each instrument and lot, because either may shift its values.
 * This folder: charts of control values, their rules and their precision. Not here: how a control is measured or drawn.
 */
import { findRunRules, findSequenceRules, findSeverity } from './westgard.ts';
import type { RuleSeverity, WestgardRule } from './westgard.ts';

/** Limits need the values of this many runs. */
export const LIMIT_RUNS_MIN = 20;

/** `log10`: the values scatter by factors, as a KD does. */
export type ControlScale = 'linear' | 'log10';

export interface ControlValue {
  readonly runId: string;
  readonly plate: string;
  /** UTC time of the run, ISO 8601. */
  readonly measuredAt: string;
  readonly control: string;
  /** Such as `kd_m`, in whose unit the value is. */
  readonly quantity: string;
  readonly scale: ControlScale;
  readonly instrument: string;
  readonly lot: string;
  readonly value: number;
}

export interface ControlLimits {
  /** On the scale of the chart: log10 of the value where it is logarithmic. */
  readonly mean: number;
  readonly sd: number;
  readonly nRuns: number;
  /** Where ± 1, 2 and 3 standard deviations lie, in the unit of the value, from −3 to +3; 0 is the center. */
  readonly lines: readonly { readonly sds: number; readonly value: number }[];
}

export interface ChartPoint extends ControlValue {
  /** In standard deviations from the mean; null without limits. */
  readonly deviation: number | null;
  /** Whether the limits were made from this value; such a value breaks no rule. */
  readonly isInLimits: boolean;
  readonly rules: readonly WestgardRule[];
  /** Of the gravest rule; null when none is broken. */
  readonly severity: RuleSeverity | null;
}

export interface ControlChart {
  readonly control: string;
  readonly quantity: string;
  readonly scale: ControlScale;
  readonly instrument: string;
  readonly lot: string;
  /** Null before there are enough runs, and while all their values are equal. */
  readonly limits: ControlLimits | null;
  /** In time order. */
  readonly points: readonly ChartPoint[];
}

/**
 * Makes a chart of each series. Throws RangeError for a value that is not finite, or not above 0 on a logarithmic scale.
 */
export function buildControlCharts(values: readonly ControlValue[]): ControlChart[] {
  values.forEach(scaleValue);
  const series = Map.groupBy(values, ({ control, quantity, scale, instrument, lot }) =>
    JSON.stringify([control, quantity, scale, instrument, lot]),
  );
  const charts = [...series.values()].flatMap(createChart);
  return addRunRules(charts);
}

function createChart(values: readonly ControlValue[]): ControlChart[] {
  const ordered = values.toSorted(compareTimes);
  const [first] = ordered;
  if (first === undefined) return [];
  const runs = [...new Set(ordered.map(({ runId }) => runId))].slice(0, LIMIT_RUNS_MIN);
  const inLimits = new Set(runs.length < LIMIT_RUNS_MIN ? [] : runs);
  const limits = computeLimits(
    first.scale,
    ordered.filter(({ runId }) => inLimits.has(runId)).map(scaleValue),
    inLimits.size,
  );
  const points = ordered.map((each) => ({
    ...each,
    deviation: limits === null ? null : (scaleValue(each) - limits.mean) / limits.sd,
    isInLimits: limits !== null && inLimits.has(each.runId),
  }));
  const rules = findSequenceRules(points.map((point) => (point.isInLimits ? null : point.deviation)));
  const { control, quantity, scale, instrument, lot } = first;
  const judged = points.map((point, index): ChartPoint => withRules(point, rules[index] ?? []));
  return [{ control, quantity, scale, instrument, lot, limits, points: judged }];
}

function withRules(
  point: Omit<ChartPoint, 'rules' | 'severity'>,
  rules: readonly WestgardRule[],
): ChartPoint {
  return { ...point, rules, severity: findSeverity(rules) };
}

function compareTimes(one: ControlValue, other: ControlValue): number {
  return (
    Date.parse(one.measuredAt) - Date.parse(other.measuredAt) ||
    one.runId.localeCompare(other.runId) ||
    one.plate.localeCompare(other.plate, 'en', { numeric: true })
  );
}

function scaleValue({ scale, value, control }: ControlValue): number {
  const scaled = scale === 'log10' ? Math.log10(value) : value;
  if (Number.isFinite(scaled)) return scaled;
  throw new RangeError(`The value ${value} of ${control} cannot stand on a ${scale} chart.`);
}

function computeLimits(scale: ControlScale, scaled: readonly number[], nRuns: number): ControlLimits | null {
  if (scaled.length < 2) return null;
  const mean = scaled.reduce((sum, each) => sum + each, 0) / scaled.length;
  const variance = scaled.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (scaled.length - 1);
  const sd = Math.sqrt(variance);
  // Equal values differ by rounding alone.
  if (!(sd > 1e-12 * Math.max(1, Math.abs(mean)))) return null;
  const lines = [-3, -2, -1, 0, 1, 2, 3].map((sds) => {
    const at = mean + sds * sd;
    return { sds, value: scale === 'log10' ? 10 ** at : at };
  });
  return { mean, sd, nRuns, lines };
}

/** Adds the rules about values of one run: those of one quantity on one instrument are judged together. */
function addRunRules(charts: readonly ControlChart[]): ControlChart[] {
  const getKey = ({ runId, quantity, instrument }: ControlValue): string =>
    JSON.stringify([runId, quantity, instrument]);
  const judged = charts.flatMap(({ points }) => points).filter(({ isInLimits }) => !isInLimits);
  const rules = new Map(
    [...Map.groupBy(judged, getKey)].map(([key, points]) => [
      key,
      findRunRules(points.flatMap(({ deviation }) => deviation ?? [])),
    ]),
  );
  return charts.map((chart) => ({
    ...chart,
    points: chart.points.map((point) => {
      // The rules speak of values beyond 2 standard deviations: the others of the run have not broken them.
      if (point.isInLimits || point.deviation === null || Math.abs(point.deviation) <= 2) return point;
      const together = (rules.get(getKey(point)) ?? []).filter((rule) => isBreaking(rule, point, judged));
      return withRules(point, [...new Set([...point.rules, ...together])]);
    }),
  }));
}

/** Whether the point is one of the two values of its run that break the rule. */
function isBreaking(rule: WestgardRule, point: ChartPoint, judged: readonly ChartPoint[]): boolean {
  if (rule !== '2_2s') return true;
  const sign = Math.sign(point.deviation ?? 0);
  const same = judged.filter(
    ({ runId, quantity, instrument, deviation }) =>
      runId === point.runId &&
      quantity === point.quantity &&
      instrument === point.instrument &&
      (deviation ?? 0) * sign > 2,
  );
  return same.length >= 2;
}
