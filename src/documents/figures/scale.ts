/** Computations for plots: ranges, ticks, thinning, paths, label positions. */
import { formatPower } from '#core/number-words.ts';
import { MAD_TO_SD } from '#analysis/numerics/statistics.ts';
import type { Point } from '#analysis/numerics/thinning.ts';

export interface Range {
  readonly low: number;
  readonly high: number;
}

export interface Axis extends Range {
  readonly ticks: readonly number[];
  /** Decimals that distinguish neighboring ticks. */
  readonly decimals: number;
}

/** Returns the range of all finite numbers; undefined when there are none. */
export function computeRange(series: Iterable<readonly number[]>): Range | undefined {
  let low = Infinity;
  let high = -Infinity;
  for (const values of series) {
    for (const value of values) {
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? { low, high } : undefined;
}

const TIME_STEPS_S = [1, 2, 5, 10, 20, 30, 60, 100, 300, 600, 900, 1200, 1800, 3600, 7200];

/** If the last sample is closer to a tick than this fraction of the range, the axis extends to that tick. */
const NEAR_TICK = 0.02;

/** A time axis keeps the range of the data; its ticks are the usual multiples of seconds. */
export function createTimeAxis(range: Range, count: number): Axis {
  const { low, high } = widenRange(range);
  const rough = (high - low) / count;
  const step =
    rough < 1 ? chooseNiceStep(rough) : (TIME_STEPS_S.find((each) => each >= rough) ?? chooseNiceStep(rough));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor((high + NEAR_TICK * (high - low)) / step + 1e-9);
  return {
    low,
    high: Math.max(high, last * step),
    ticks: listMultiples(step, first, last),
    decimals: countDecimals(step),
  };
}

/** Space under a signal that starts at zero, as a fraction of the range, to keep the baseline clear of the axis. */
const BASELINE_ROOM = 0.04;

/** A signal axis contains zero and ends on a tick; noise below zero does not add a whole step. */
export function createSignalAxis(range: Range, count: number): Axis {
  const { low, high } = widenRange({ low: Math.min(0, range.low), high: Math.max(0, range.high) });
  const step = chooseNiceStep((high - low) / count);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const isNoise = low > -0.25 * step;
  const room = -BASELINE_ROOM * last * step;
  return {
    low: isNoise ? Math.min(room, low * 1.2) : first * step,
    high: last * step,
    ticks: listMultiples(step, isNoise ? 0 : first, last),
    decimals: countDecimals(step),
  };
}

/** A signal of pure noise spans this many of its standard deviations, so that it looks flat. */
const NOISE_SPAN = 60;
/** With fewer points than this, a step between neighboring points is signal. */
const NOISE_POINTS_MIN = 100;

/** Returns the smallest span of a signal axis for the noise in its second differences. */
export function computeNoiseSpan(series: Iterable<readonly number[]>): number {
  const deviations: number[] = [];
  for (const values of series) {
    if (values.length < NOISE_POINTS_MIN) continue;
    const bends = values.slice(2).map((value, index) => {
      return Math.abs(value - 2 * (values[index + 1] ?? value) + (values[index] ?? value));
    });
    // √6 is the noise gain of the second difference.
    deviations.push((MAD_TO_SD * takeUpperRank(bends, 0.5)) / Math.sqrt(6));
  }
  return NOISE_SPAN * takeUpperRank(deviations, 0.5);
}

/** Returns the finite value at the upper rank, so that the axis holds an existing value; zero for no values. */
function takeUpperRank(values: readonly number[], share: number): number {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Residuals that exceed all but a few in a thousand by this factor are spikes, which would flatten the others. */
const SPIKE_RATIO = 3;

/** A residual axis is symmetric about zero, with three ticks, and fits everything except spikes. */
export function createResidualAxis(series: readonly (readonly number[])[]): Axis | null {
  const sizes = series.flat().map(Math.abs);
  const range = computeRange([sizes]);
  if (range === undefined) return null;
  const usual = takeUpperRank(sizes, 0.995);
  const isSpiky = usual > 0 && range.high > SPIKE_RATIO * usual;
  const most = (isSpiky ? 1.5 * usual : range.high) || 1;
  const step = chooseNiceStep(most * 0.6);
  const reach = Math.max(most * 1.08, step * 1.15);
  return { low: -reach, high: reach, ticks: [-step, 0, step], decimals: countDecimals(step) };
}

export function tickText(value: number, decimals: number): string {
  if (decimals > 6) return value === 0 ? '0' : `${value < 0 ? '−' : ''}${formatPower(Math.abs(value))}`;
  const text = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

function widenRange({ low, high }: Range): Range {
  if (high > low) return { low, high };
  const half = Math.abs(low) * 0.1 || 0.5;
  return { low: low - half, high: high + half };
}

export function chooseNiceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5].find((each) => each * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

export function countDecimals(step: number): number {
  return Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
}

export function listMultiples(step: number, first: number, last: number): number[] {
  const ticks: number[] = [];
  for (let index = first; index <= last; index += 1) ticks.push(index === 0 ? 0 : index * step);
  return ticks;
}

export type Scale = (value: number) => number;

export function createLinearScale(range: Range, from: number, to: number): Scale {
  const factor = (to - from) / (range.high - range.low);
  return (value) => from + (value - range.low) * factor;
}

/** Returns the finite points of a series. */
export function listPoints(xs: readonly number[], ys: readonly number[]): Point[] {
  const points: Point[] = [];
  for (const [index, x] of xs.entries()) {
    const y = ys[index];
    if (y !== undefined && Number.isFinite(x) && Number.isFinite(y)) points.push({ x, y });
  }
  return points;
}

/** Formats a coordinate to a tenth of a pixel, in the shortest decimal form. */
export function formatPx(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  return String(rounded === 0 ? 0 : rounded);
}

/**
 * Writes a polyline in relative steps, which makes the picture a third smaller; rounding errors do not accumulate.
 */
export function writeLinePath(points: readonly Point[]): string {
  let path = '';
  let lastX = 0;
  let lastY = 0;
  for (const { x, y } of points) {
    const tenthX = Math.round(x * 10);
    const tenthY = Math.round(y * 10);
    const dx = tenthX - lastX;
    const dy = tenthY - lastY;
    if (path !== '' && dx === 0 && dy === 0) continue;
    path += path === '' ? `M${tenthX / 10} ${tenthY / 10}` : `l${dx / 10} ${dy / 10}`;
    lastX = tenthX;
    lastY = tenthY;
  }
  return path;
}

/** Writes dots: with round caps, a line of length zero is a disc as wide as the stroke. */
export function writeDotPath(points: readonly Point[]): string {
  return points.map(({ x, y }) => `M${formatPx(x)} ${formatPx(y)}h0`).join('');
}
