/** One replicate: the traces with their fits, the residuals beneath on the same time axis, the labels beside. */
import type { Sensorgram as Curve } from './curves.ts';
import {
  dotPath,
  linear,
  linePath,
  pointsOf,
  px,
  spread,
  thin,
  tickText,
  type Axis,
  type Point,
  type Scale,
} from './plot-scale.ts';
import { colourOf, fill, stroke, type Colour } from './plot-style.ts';
import { concentrationText, escapeXml } from './plot-text.ts';

export interface Axes {
  readonly time: Axis;
  readonly signal: Axis;
  /** Null when nothing was fitted. */
  readonly residual: Axis | null;
}

export interface Panel {
  readonly title: string;
  readonly curves: readonly Curve[];
  /** Corners of the trace plot. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly signalHeight: number;
  readonly residualHeight: number;
  /** Only the first panel of a row names its signal axis; the scales are shared. */
  readonly isFirst: boolean;
  readonly signalUnit: string;
  readonly axes: Axes;
  readonly colour: (concentrationM: number | null) => Colour;
}

/** Height between the trace plot and the residual plot. */
export const RESIDUAL_GAP = 10;
const POINTS_MAX = 400;
/** A series with fewer points than this is drawn as dots. */
const SPARSE = 60;
/** The trace shows on both sides of a fit that lies on it. */
export const RAW_WIDTH = 2.8;
export const FIT_WIDTH = 0.9;
const UNFITTED_WIDTH = 1.3;
const LABEL_SIZE = 11;
const LABEL_PITCH = 12;

interface Frame {
  readonly x: Scale;
  readonly y: Scale;
  readonly top: number;
  readonly bottom: number;
}

export function drawPanel(panel: Panel): string {
  const { left, top, width, axes } = panel;
  const x = linear(axes.time, left, left + width);
  const signalBottom = top + panel.signalHeight;
  const signal: Frame = { x, y: linear(axes.signal, signalBottom, top), top, bottom: signalBottom };
  const residual = axes.residual === null ? null : residualFrame(panel, axes.residual, x, signalBottom);
  const frames = residual === null ? [signal] : [signal, residual];
  return [
    `<g>`,
    text(left, top - 22, panel.title, { weight: 600, size: 12 }),
    gridLines(panel, signal, axes.signal),
    ...(residual === null || axes.residual === null ? [] : [gridLines(panel, residual, axes.residual)]),
    phases(panel, frames),
    ...(residual === null ? [] : residualTraces(panel, residual)),
    ...traces(panel, signal),
    labels(panel, signal),
    signalTicks(panel, signal, axes.signal),
    ...(residual === null || axes.residual === null ? [] : [signalTicks(panel, residual, axes.residual)]),
    ...frames.map((frame) => timeTicks(panel, frame, frame === frames.at(-1))),
    `</g>`,
  ].join('\n');
}

function residualFrame(panel: Panel, axis: Axis, x: Scale, signalBottom: number): Frame {
  const top = signalBottom + RESIDUAL_GAP;
  const bottom = top + panel.residualHeight;
  return { x, y: linear(axis, bottom, top), top, bottom };
}

interface TextStyle {
  readonly size?: number;
  readonly weight?: number;
  readonly anchor?: 'middle' | 'end';
  readonly colour?: Colour;
  readonly turned?: boolean;
}

/** Escapes what it is given. */
export function text(x: number, y: number, content: string, style: TextStyle = {}): string {
  const weight = style.weight === undefined ? '' : ` font-weight="${style.weight}"`;
  const anchor = style.anchor === undefined ? '' : ` text-anchor="${style.anchor}"`;
  const turn = style.turned === true ? ` transform="rotate(-90 ${px(x)} ${px(y)})"` : '';
  const paint = fill(style.colour ?? colourOf('ink'));
  const place = `x="${px(x)}" y="${px(y)}" font-size="${style.size ?? LABEL_SIZE}"`;
  return `<text ${place}${weight}${anchor}${turn} ${paint}>${escapeXml(content)}</text>`;
}

function gridLines(panel: Panel, { y }: Frame, axis: Axis): string {
  const line = (tick: number) => `M${px(panel.left)} ${px(y(tick))}h${px(panel.width)}`;
  const zero = axis.ticks.includes(0) ? `<path d="${line(0)}" ${stroke(colourOf('phase'), 0.75)}/>` : '';
  const others = axis.ticks.filter((tick) => tick !== 0).map(line);
  return `<path d="${others.join('')}" ${stroke(colourOf('grid'), 1)}/>${zero}`;
}

/** Moments closer than this are one phase change. */
const SAME_MOMENT_S = 1;

function moments(times: readonly number[]): number[] {
  const kept: number[] = [];
  for (const time of times.filter(Number.isFinite).toSorted((a, b) => a - b)) {
    const last = kept.at(-1);
    if (last === undefined || time - last > SAME_MOMENT_S) kept.push(time);
  }
  return kept;
}

/** Phase changes as thin lines; named when every curve of the replicate shares them. */
function phases(panel: Panel, frames: readonly Frame[]): string {
  const { low, high } = panel.axes.time;
  const starts = moments(panel.curves.map((curve) => curve.association_start_s));
  const ends = moments(panel.curves.map((curve) => curve.dissociation_start_s));
  const x = linear(panel.axes.time, panel.left, panel.left + panel.width);
  const visible = [...starts, ...ends].filter((time) => time > low && time < high);
  const lines = frames.flatMap(({ top, bottom }) =>
    visible.map((time) => `M${px(x(time))} ${px(top)}V${px(bottom)}`),
  );
  const drawn = `<path d="${lines.join('')}" ${stroke(colourOf('phase'), 1)} stroke-dasharray="3 3"/>`;
  const [start, end] = [starts[0], ends[0]];
  if (starts.length !== 1 || ends.length !== 1 || start === undefined || end === undefined) return drawn;
  const named = [
    { name: 'association', from: Math.max(low, start), to: Math.min(high, end) },
    { name: 'dissociation', from: Math.max(low, end), to: high },
  ].filter(({ from, to }) => x(to) - x(from) > 62);
  const style = { anchor: 'middle', size: 10.5, colour: colourOf('muted') } as const;
  return [
    drawn,
    ...named.map(({ name, from, to }) => text(x((from + to) / 2), panel.top - 6, name, style)),
  ].join('\n');
}

function screenPoints(frame: Frame, times: readonly number[], values: readonly number[]): Point[] {
  return pointsOf(times, values).map((point) => ({ x: frame.x(point.x), y: frame.y(point.y) }));
}

function pointLimit(panel: Panel): number {
  return Math.min(POINTS_MAX, Math.ceil(panel.width));
}

/** Raw traces first, so that no trace hides a fit. */
function traces(panel: Panel, frame: Frame): string[] {
  const raw = panel.curves.map((curve) => {
    const points = screenPoints(frame, curve.time_s, curve.signal);
    const colour = panel.colour(curve.concentration_m);
    if (points.length < SPARSE) return path(dotPath(points), stroke(colour, 3.6));
    return path(
      linePath(thin(points, pointLimit(panel))),
      stroke(colour, curve.fit === null ? UNFITTED_WIDTH : RAW_WIDTH),
    );
  });
  const fits = panel.curves.map((curve) => {
    if (curve.fit === null) return '';
    const points = screenPoints(frame, curve.time_s, curve.fit);
    return path(linePath(thin(points, pointLimit(panel))), stroke(colourOf('fit'), FIT_WIDTH));
  });
  return [...raw, ...fits].filter((each) => each !== '');
}

function path(d: string, paint: string): string {
  return d === '' ? '' : `<path d="${d}" ${paint} stroke-linejoin="round" stroke-linecap="round"/>`;
}

/** What the fit leaves: as stored, or the difference when only the fit is. */
export function residualOf(curve: Curve): readonly number[] | null {
  const { fit, residual, signal } = curve;
  if (residual !== null || fit === null) return residual;
  return signal.map((value, index) => value - (fit[index] ?? Number.NaN));
}

function residualTraces(panel: Panel, frame: Frame): string[] {
  const drawn = panel.curves.map((curve) => {
    const inside = (y: number) => Math.max(frame.top, Math.min(y, frame.bottom));
    const points = screenPoints(frame, curve.time_s, residualOf(curve) ?? []).map(({ x, y }) => ({
      x,
      y: inside(y),
    }));
    const colour = panel.colour(curve.concentration_m);
    if (points.length < SPARSE) return path(dotPath(points), stroke(colour, 2.4));
    return path(linePath(thin(points, pointLimit(panel))), `${stroke(colour, 0.8)} stroke-opacity="0.85"`);
  });
  return drawn.filter((each) => each !== '');
}

interface Label {
  readonly text: string;
  readonly colour: Colour;
  readonly concentrationM: number;
  readonly x: number;
  readonly y: number;
}

/** Concentrations at the ends of their traces, moved apart where they collide and tied to the trace by its colour. */
function labels(panel: Panel, frame: Frame): string {
  const ordered = labelsOf(panel, frame).toSorted((a, b) => a.y - b.y || b.concentrationM - a.concentrationM);
  const range = { low: frame.top + 4, high: frame.bottom - 4 };
  const places = spread(
    ordered.map((label) => label.y),
    LABEL_PITCH,
    range,
  );
  const right = panel.left + panel.width;
  const drawn = ordered.map((label, index) => {
    const y = places[index] ?? label.y;
    const leader = `M${px(label.x + 1)} ${px(label.y)}L${px(right + 3)} ${px(label.y)}L${px(right + 18)} ${px(y)}h5`;
    return [
      `<path d="${leader}" ${stroke(label.colour, 1)}/>`,
      text(right + 27, y + 3.8, label.text, { size: LABEL_SIZE }),
    ].join('');
  });
  return drawn.join('\n');
}

function labelsOf(panel: Panel, frame: Frame): Label[] {
  const seen = new Map<string, Label>();
  for (const curve of panel.curves) {
    const { concentration_m: concentrationM } = curve;
    const name = concentrationM === null ? 'unknown' : concentrationText(concentrationM);
    const end = endOf(curve, frame);
    if (end === undefined || seen.has(name)) continue;
    seen.set(name, {
      text: name,
      colour: panel.colour(concentrationM),
      concentrationM: concentrationM ?? -1,
      ...end,
    });
  }
  return [...seen.values()];
}

/** Where a trace ends: on its fit, or at the mean of its last points, since the very last one is noise. */
function endOf(curve: Curve, frame: Frame): Point | undefined {
  const points = screenPoints(frame, curve.time_s, curve.signal);
  const last = points.at(-1);
  if (last === undefined) return undefined;
  const fitted = screenPoints(frame, curve.time_s, curve.fit ?? []).at(-1);
  const tail = points.slice(-Math.max(1, Math.min(20, Math.floor(points.length / 20))));
  const mean = tail.reduce((sum, point) => sum + point.y, 0) / tail.length;
  return { x: last.x, y: fitted?.y ?? mean };
}

function signalTicks(panel: Panel, frame: Frame, axis: Axis): string {
  const { left, isFirst, signalUnit } = panel;
  const marks = axis.ticks.map((tick) => `M${px(left - 4)} ${px(frame.y(tick))}h4`);
  const spine = `M${px(left)} ${px(frame.top)}V${px(frame.bottom)}`;
  const lines = `<path d="${spine}${marks.join('')}" ${stroke(colourOf('axis'), 1)}/>`;
  if (!isFirst) return lines;
  const numbers = axis.ticks.map((tick) =>
    text(left - 8, frame.y(tick) + 3.8, tickText(tick, axis.decimals), { anchor: 'end' }),
  );
  const name = `${axis === panel.axes.signal ? 'Signal' : 'Residual'} (${signalUnit})`;
  const middle = (frame.top + frame.bottom) / 2;
  return [
    lines,
    ...numbers,
    text(left - 50, middle, name, { anchor: 'middle', turned: true, size: 11.5 }),
  ].join('\n');
}

function timeTicks(panel: Panel, frame: Frame, isLast: boolean): string {
  const { left, width, axes } = panel;
  const marks = axes.time.ticks.map((tick) => `M${px(frame.x(tick))} ${px(frame.bottom)}v4`);
  const spine = `M${px(left)} ${px(frame.bottom)}h${px(width)}`;
  const lines = `<path d="${spine}${isLast ? marks.join('') : ''}" ${stroke(colourOf('axis'), 1)}/>`;
  if (!isLast) return lines;
  const numbers = axes.time.ticks.map((tick) =>
    text(frame.x(tick), frame.bottom + 16, tickText(tick, axes.time.decimals), { anchor: 'middle' }),
  );
  const name = text(left + width / 2, frame.bottom + 33, 'Time (s)', { anchor: 'middle', size: 12 });
  return [lines, ...numbers, name].join('\n');
}
