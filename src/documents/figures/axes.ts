/** Axes of a rectangular plot: linear or logarithmic, with their grid, ticks and names. */
import {
  countDecimals,
  createLinearScale,
  listMultiples,
  chooseNiceStep,
  formatPx,
  tickText,
  type Axis,
  type Range,
  type Scale,
} from './scale.ts';
import { getColor } from '../colors.ts';
import { splitPower } from '#core/number-words.ts';
import { computeTextWidth } from './width.ts';
import { drawPath, createStroke, drawText, type Mark } from '../scene.ts';

/** Returns a linear axis that ends on ticks. */
export function createValueAxis({ low, high }: Range, count: number): Axis {
  const span = high > low ? high - low : Math.abs(high) * 0.2 || 1;
  const [from, to] = high > low ? [low, high] : [low - span / 2, high + span / 2];
  const step = chooseNiceStep(span / count);
  const first = Math.floor(from / step + 1e-9);
  const last = Math.ceil(to / step - 1e-9);
  return {
    low: first * step,
    high: last * step,
    ticks: listMultiples(step, first, last),
    decimals: countDecimals(step),
  };
}

/** Returns an axis with the range of the data and the ticks within it. */
export function createDataAxis({ low, high }: Range, count: number): Axis {
  const step = chooseNiceStep((high - low) / count);
  const ticks = listMultiples(step, Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9));
  return { low, high, ticks, decimals: countDecimals(step) };
}

/** Returns an axis in decades; `low`, `high` and the ticks are logarithms. */
export function createDecadeAxis(range: Range): Axis {
  const low = Math.log10(range.low);
  const high = Math.log10(range.high);
  const decades = listMultiples(1, Math.ceil(low - 1e-9), Math.floor(high + 1e-9));
  const ticks = decades.length > 1 ? takeEveryNth(decades, DECADES_MAX) : listFinerTicks(low, high);
  return { low, high, ticks, decimals: 0 };
}

/** With more numbers than this along an axis, only every second, third … is written. */
const DECADES_MAX = 7;

function takeEveryNth(ticks: readonly number[], limit: number): number[] {
  const step = Math.ceil(ticks.length / limit);
  return ticks.filter((_, index) => index % step === 0);
}

/** Returns one, two and five of every decade, for axes with few decades. */
function listFinerTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let decade = Math.floor(low); decade <= high; decade += 1)
    ticks.push(decade, decade + Math.log10(2), decade + Math.log10(5));
  return ticks.filter((tick) => tick >= low - 1e-9 && tick <= high + 1e-9);
}

export interface AxisSpec {
  readonly axis: Axis;
  readonly name: string;
  readonly isDecades?: boolean;
  /** Format of the numbers, if not plain. */
  readonly format?: (value: number) => string;
  /** Ticks without numbers, if the neighboring plot has them. */
  readonly isBare?: boolean;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Frame extends Box {
  readonly x: Scale;
  readonly y: Scale;
  readonly parts: readonly Mark[];
}

/** Draws the empty plot; `x` and `y` take plain values, also on logarithmic axes. */
export function createFrame(box: Box, xSpec: AxisSpec, ySpec: AxisSpec): Frame {
  const { left, top, width, height } = box;
  const x = createScale(xSpec, left, left + width);
  const y = createScale(ySpec, top + height, top);
  const computeValue = (spec: AxisSpec, tick: number) => (spec.isDecades === true ? 10 ** tick : tick);
  const grid = ySpec.axis.ticks.map(
    (tick) => `M${formatPx(left)} ${formatPx(y(computeValue(ySpec, tick)))}h${formatPx(width)}`,
  );
  const columns = xSpec.axis.ticks.map(
    (tick) => `M${formatPx(x(computeValue(xSpec, tick)))} ${formatPx(top)}v${formatPx(height)}`,
  );
  const marks = [
    ...ySpec.axis.ticks.map((tick) => `M${formatPx(left - 4)} ${formatPx(y(computeValue(ySpec, tick)))}h4`),
    ...listMinorTicks(ySpec).map((each) => `M${formatPx(left - 2)} ${formatPx(y(each))}h2`),
    ...(xSpec.isBare === true
      ? []
      : [
          ...xSpec.axis.ticks.map(
            (tick) => `M${formatPx(x(computeValue(xSpec, tick)))} ${formatPx(top + height)}v4`,
          ),
          ...listMinorTicks(xSpec).map((each) => `M${formatPx(x(each))} ${formatPx(top + height)}v2`),
        ]),
  ];
  const spine = `M${formatPx(left)} ${formatPx(top)}V${formatPx(top + height)}h${formatPx(width)}`;
  return {
    ...box,
    x,
    y,
    parts: [
      drawPath([...grid, ...columns].join(''), createStroke(getColor('grid'), 1)),
      drawPath([spine, ...marks].join(''), createStroke(getColor('axis'), 1)),
      ...(ySpec.isBare === true ? [] : drawYWords(box, ySpec, (tick) => y(computeValue(ySpec, tick)))),
      ...(xSpec.isBare === true ? [] : drawXWords(box, xSpec, (tick) => x(computeValue(xSpec, tick)))),
    ],
  };
}

/** Returns two to nine of every decade. */
function listMinorTicks({ axis, isDecades }: AxisSpec): number[] {
  if (isDecades !== true) return [];
  const values: number[] = [];
  for (let decade = Math.floor(axis.low); decade <= axis.high; decade += 1)
    for (let digit = 2; digit <= 9; digit += 1) values.push(digit * 10 ** decade);
  return values.filter((each) => Math.log10(each) > axis.low && Math.log10(each) < axis.high);
}

function drawYWords({ left, top, height }: Box, spec: AxisSpec, place: Scale): Mark[] {
  const numbers = spec.axis.ticks.map((tick) => ({ tick, words: formatLabel(spec, tick) }));
  const drawn = numbers.map(({ tick, words }) =>
    drawText(left - 8, place(tick) + 3.8, words, { anchor: 'end' }),
  );
  if (spec.name === '') return drawn;
  const at = left - computeAxisNameOffset(numbers.map(({ words }) => words));
  return [
    ...drawn,
    drawText(at, top + height / 2, spec.name, { anchor: 'middle', turned: true, size: 11.5 }),
  ];
}

/** Returns the distance of the axis name to the left of its axis, clear of the numbers. */
export function computeAxisNameOffset(numbers: readonly string[]): number {
  return 8 + Math.max(28, ...numbers.map((words) => computeTextWidth(words, 11))) + 7;
}

/** Returns the width left of a plot for the numbers and the name of its axis. */
export function computeAxisWidth(axes: readonly Pick<AxisSpec, 'axis' | 'format' | 'isDecades'>[]): number {
  const numbers = axes.flatMap((spec) =>
    spec.axis.ticks.map((tick) => formatLabel({ ...spec, name: '' }, tick)),
  );
  return Math.ceil(computeAxisNameOffset(numbers)) + 10;
}

function drawXWords({ left, top, width, height }: Box, spec: AxisSpec, place: Scale): Mark[] {
  const y = top + height + 16;
  const drawn = spec.axis.ticks.map((tick) =>
    drawText(place(tick), y, formatLabel(spec, tick), { anchor: 'middle' }),
  );
  if (spec.name === '') return drawn;
  return [...drawn, drawText(left + width / 2, y + 18, spec.name, { anchor: 'middle', size: 11.5 })];
}

function createScale({ axis, isDecades }: AxisSpec, from: number, to: number): Scale {
  const scale = createLinearScale(axis, from, to);
  return isDecades === true ? (value) => scale(Math.log10(value)) : scale;
}

function formatLabel({ axis, isDecades, format }: AxisSpec, tick: number): string {
  if (format !== undefined) return format(isDecades === true ? 10 ** tick : tick);
  if (isDecades !== true) return tickText(tick, axis.decimals);
  if (tick >= -3 && tick <= 4) return String(Number((10 ** tick).toPrecision(1)));
  const { mantissa, power } = splitPower(10 ** tick);
  return mantissa === '1.0' ? power : `${mantissa}×${power}`;
}
