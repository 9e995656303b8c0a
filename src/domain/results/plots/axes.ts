/** Axes of a rectangular plot: linear or by decades, with their grid, ticks and names. */
import { text } from '../plot-panel.ts';
import {
  decimalsOf,
  linear,
  multiples,
  niceStep,
  px,
  tickText,
  type Axis,
  type Range,
  type Scale,
} from '../plot-scale.ts';
import { colourOf, stroke } from '../plot-style.ts';

/** A linear axis that ends on ticks. */
export function valueAxis({ low, high }: Range, count: number): Axis {
  const span = high > low ? high - low : Math.abs(high) * 0.2 || 1;
  const [from, to] = high > low ? [low, high] : [low - span / 2, high + span / 2];
  const step = niceStep(span / count);
  const first = Math.floor(from / step + 1e-9);
  const last = Math.ceil(to / step - 1e-9);
  return {
    low: first * step,
    high: last * step,
    ticks: multiples(step, first, last),
    decimals: decimalsOf(step),
  };
}

/** Keeps the range of the data; ticks where they fall within it. */
export function dataAxis({ low, high }: Range, count: number): Axis {
  const step = niceStep((high - low) / count);
  const ticks = multiples(step, Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9));
  return { low, high, ticks, decimals: decimalsOf(step) };
}

/** Decades; `low` and `high` are logarithms, and so are the ticks. */
export function decadeAxis(range: Range): Axis {
  const low = Math.log10(range.low);
  const high = Math.log10(range.high);
  const ticks = multiples(1, Math.ceil(low - 1e-9), Math.floor(high + 1e-9));
  return { low, high, ticks, decimals: 0 };
}

export interface AxisSpec {
  readonly axis: Axis;
  readonly name: string;
  readonly isDecades?: boolean;
  /** Ticks without numbers, where the neighbour has them. */
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
  readonly parts: readonly string[];
}

/** The empty plot; values are given to `x` and `y` as they are, on decades too. */
export function frameOf(box: Box, xSpec: AxisSpec, ySpec: AxisSpec): Frame {
  const { left, top, width, height } = box;
  const x = scaleOf(xSpec, left, left + width);
  const y = scaleOf(ySpec, top + height, top);
  const value = (spec: AxisSpec, tick: number) => (spec.isDecades === true ? 10 ** tick : tick);
  const grid = ySpec.axis.ticks.map((tick) => `M${px(left)} ${px(y(value(ySpec, tick)))}h${px(width)}`);
  const columns = xSpec.axis.ticks.map((tick) => `M${px(x(value(xSpec, tick)))} ${px(top)}v${px(height)}`);
  const marks = [
    ...ySpec.axis.ticks.map((tick) => `M${px(left - 4)} ${px(y(value(ySpec, tick)))}h4`),
    ...(xSpec.isBare === true
      ? []
      : xSpec.axis.ticks.map((tick) => `M${px(x(value(xSpec, tick)))} ${px(top + height)}v4`)),
  ];
  const spine = `M${px(left)} ${px(top)}V${px(top + height)}h${px(width)}`;
  const yNumbers =
    ySpec.isBare === true
      ? []
      : ySpec.axis.ticks.map((tick) =>
          text(left - 8, y(value(ySpec, tick)) + 3.8, label(ySpec, tick), { anchor: 'end' }),
        );
  const xNumbers =
    xSpec.isBare === true
      ? []
      : xSpec.axis.ticks.map((tick) =>
          text(x(value(xSpec, tick)), top + height + 16, label(xSpec, tick), { anchor: 'middle' }),
        );
  const names = [
    ...(ySpec.isBare === true || ySpec.name === ''
      ? []
      : [text(left - 50, top + height / 2, ySpec.name, { anchor: 'middle', turned: true, size: 11.5 })]),
    ...(xSpec.isBare === true || xSpec.name === ''
      ? []
      : [text(left + width / 2, top + height + 34, xSpec.name, { anchor: 'middle', size: 11.5 })]),
  ];
  return {
    ...box,
    x,
    y,
    parts: [
      `<path d="${grid.join('')}${columns.join('')}" ${stroke(colourOf('grid'), 1)}/>`,
      `<path d="${spine}${marks.join('')}" ${stroke(colourOf('axis'), 1)}/>`,
      ...yNumbers,
      ...xNumbers,
      ...names,
    ],
  };
}

function scaleOf({ axis, isDecades }: AxisSpec, from: number, to: number): Scale {
  const scale = linear(axis, from, to);
  return isDecades === true ? (value) => scale(Math.log10(value)) : scale;
}

function label({ axis, isDecades }: AxisSpec, tick: number): string {
  if (isDecades !== true) return tickText(tick, axis.decimals);
  return tick >= -3 && tick <= 4
    ? String(Number((10 ** tick).toPrecision(1)))
    : `1e${tick}`.replace('-', '−');
}
