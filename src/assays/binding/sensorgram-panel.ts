/** One replicate: the traces with their fits, the residuals beneath on the same time axis, and the labels beside. */
import { keepExtremes, type Point } from '#analysis/numerics/thinning.ts';
import type { Sensorgram as Curve } from '#features/results/curves.ts';
import {
  writeDotPath,
  createLinearScale,
  writeLinePath,
  listPoints,
  formatPx,
  tickText,
  type Axis,
  type Scale,
} from '#documents/figures/scale.ts';
import { getColor, type Color } from '#documents/colors.ts';
import { computeTextWidth } from '#documents/figures/width.ts';
import { formatConcentration } from '#core/number-words.ts';
import { computeAxisNameOffset } from '#documents/figures/axes.ts';
import { drawMarker, SHAPE_COUNT, type Shape } from '#documents/figures/markers.ts';
import {
  group,
  drawPath,
  drawPathIfAny,
  createStroke,
  drawText,
  type Mark,
  type Paint,
} from '#documents/scene.ts';

export interface Axes {
  readonly time: Axis;
  readonly signal: Axis;
  /** Null when nothing was fitted. */
  readonly residual: Axis | null;
}

/** One concentration, or one series of injections, with its appearance. */
export interface Series {
  readonly name: string;
  /** The highest of several injections. */
  /** Null when unknown. */
  readonly concentrationM: number | null;
  readonly color: Color;
  readonly shape: Shape;
}

export interface Panel {
  readonly title: string;
  /** The result of this replicate in words. */
  readonly words: string;
  /** A signal for comparison. */
  readonly threshold: number | null;
  readonly curves: readonly Curve[];
  /** Position of the trace plot. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly signalHeight: number;
  readonly residualHeight: number;
  /** Only the first panel of a row names its signal axis, because all panels share the scales. */
  readonly isFirst: boolean;
  readonly signalUnit: string;
  readonly axes: Axes;
  readonly series: readonly Series[];
}

/** Height between the trace plot and the residual plot. */
export const RESIDUAL_GAP = 10;
const POINTS_MAX = 400;
/** A series with fewer points than this is drawn as dots. */
const SPARSE = 60;
/** Width of the trace, so that it shows on both sides of a fit on top of it. */
const RAW_WIDTH = 3.2;
const FIT_WIDTH = 0.9;
const UNFITTED_WIDTH = 1.4;
const LABEL_SIZE = 11;

interface Frame {
  readonly x: Scale;
  readonly y: Scale;
  readonly top: number;
  readonly bottom: number;
}

export function drawPanel(panel: Panel): Mark {
  const { left, top, width, axes } = panel;
  const x = createLinearScale(axes.time, left, left + width);
  const signalBottom = top + panel.signalHeight;
  const signal: Frame = {
    x,
    y: createLinearScale(axes.signal, signalBottom, top),
    top,
    bottom: signalBottom,
  };
  const residual = axes.residual === null ? null : createResidualFrame(panel, axes.residual, x, signalBottom);
  const frames = residual === null ? [signal] : [signal, residual];
  return group([
    drawText(left, top - 38, panel.title, { weight: 600, size: 12 }),
    ...(panel.words === '' ? [] : [drawText(left, top - 22, panel.words)]),
    ...drawGridLines(panel, signal, axes.signal),
    ...(residual === null || axes.residual === null ? [] : drawGridLines(panel, residual, axes.residual)),
    ...drawPhases(panel, frames),
    ...(residual === null ? [] : drawResidualTraces(panel, residual)),
    ...drawTraces(panel, signal),
    ...drawThresholdLine(panel, signal),
    ...drawMarks(panel, signal),
    ...drawSignalTicks(panel, signal, axes.signal),
    ...(residual === null || axes.residual === null ? [] : drawSignalTicks(panel, residual, axes.residual)),
    ...frames.flatMap((frame) => drawTimeTicks(panel, frame, frame === frames.at(-1))),
  ]);
}

function createResidualFrame(panel: Panel, axis: Axis, x: Scale, signalBottom: number): Frame {
  const top = signalBottom + RESIDUAL_GAP;
  const bottom = top + panel.residualHeight;
  return { x, y: createLinearScale(axis, bottom, top), top, bottom };
}

function drawGridLines(panel: Panel, { y }: Frame, axis: Axis): Mark[] {
  const formatGridLine = (tick: number) =>
    `M${formatPx(panel.left)} ${formatPx(y(tick))}h${formatPx(panel.width)}`;
  const others = axis.ticks.filter((tick) => tick !== 0).map(formatGridLine);
  return [
    drawPath(others.join(''), createStroke(getColor('grid'), 1)),
    ...(axis.ticks.includes(0) ? [drawPath(formatGridLine(0), createStroke(getColor('phase'), 0.75))] : []),
  ];
}

/** Moments closer than this, in s, are the same phase change. */
const SAME_MOMENT_S = 1;

function listMoments(times: readonly number[]): number[] {
  const moments: number[] = [];
  for (const time of times.filter(Number.isFinite).toSorted((a, b) => a - b)) {
    const last = moments.at(-1);
    if (last === undefined || time - last > SAME_MOMENT_S) moments.push(time);
  }
  return moments;
}

/** Draws phase changes as thin lines; they are named when every curve of the replicate shares them. */
function drawPhases(panel: Panel, frames: readonly Frame[]): Mark[] {
  const { low, high } = panel.axes.time;
  const injected = findSharedInjections(panel.curves);
  if (injected !== undefined) return drawInjections(panel, frames, injected);
  const starts = listMoments(panel.curves.map((curve) => curve.association_start_s));
  const ends = listMoments(panel.curves.map((curve) => curve.dissociation_start_s));
  const x = createLinearScale(panel.axes.time, panel.left, panel.left + panel.width);
  const visible = [...starts, ...ends].filter((time) => time > low && time < high);
  const lines = frames.flatMap(({ top, bottom }) =>
    visible.map((time) => `M${formatPx(x(time))} ${formatPx(top)}V${formatPx(bottom)}`),
  );
  const drawn = [drawPath(lines.join(''), createStroke(getColor('phase'), 1, { dash: [3, 3] }))];
  const [start, end] = [starts[0], ends[0]];
  if (starts.length !== 1 || ends.length !== 1 || start === undefined || end === undefined) return drawn;
  const spans = [
    { names: ['association', 'assoc.'], from: Math.max(low, start), to: Math.min(high, end) },
    { names: ['dissociation', 'dissoc.'], from: Math.max(low, end), to: high },
  ];
  // Uses both long names or both short ones, and none if one does not fit.
  const length = [0, 1].find((index) =>
    spans.every(
      ({ names, from, to }) =>
        computeTextWidth(names[index] ?? '', LABEL_SIZE) + 4 <= Math.max(0, x(to) - x(from)),
    ),
  );
  if (length === undefined) return drawn;
  const style = { anchor: 'middle', color: getColor('muted') } as const;
  return [
    ...drawn,
    ...spans.map(({ names, from, to }) =>
      drawText(x((from + to) / 2), panel.top - 6, names[length] ?? '', style),
    ),
  ];
}

type Injections = NonNullable<Curve['injections']>;

/** Returns the injections that all curves of the replicate have in common; undefined without any. */
function findSharedInjections(curves: readonly Curve[]): Injections | undefined {
  const [first] = curves;
  const expected = JSON.stringify(first?.injections);
  return curves.every(({ injections }) => JSON.stringify(injections) === expected)
    ? first?.injections
    : undefined;
}

/** Draws the injections of single-cycle kinetics as lines, each named by its concentration where there is room. */
function drawInjections(panel: Panel, frames: readonly Frame[], injections: Injections): Mark[] {
  const { low, high } = panel.axes.time;
  const x = createLinearScale(panel.axes.time, panel.left, panel.left + panel.width);
  const moments = injections.flatMap(({ start_s: start, end_s: end }) => [start, end]);
  const visible = moments.filter((time) => time > low && time < high);
  const lines = frames.flatMap(({ top, bottom }) =>
    visible.map((time) => `M${formatPx(x(time))} ${formatPx(top)}V${formatPx(bottom)}`),
  );
  const names = injections.map(({ start_s: start, end_s: end, concentration_m: concentration }) => ({
    name: formatConcentration(concentration),
    at: x((start + end) / 2),
  }));
  const hasRoom = names.every(({ name, at }, index) => {
    const before = index === 0 ? undefined : names[index - 1];
    const neededDistance =
      (computeTextWidth(before?.name ?? '', LABEL_SIZE) + computeTextWidth(name, LABEL_SIZE)) / 2;
    return before === undefined || neededDistance + 4 <= at - before.at;
  });
  const style = { anchor: 'middle', color: getColor('muted') } as const;
  return [
    drawPath(lines.join(''), createStroke(getColor('phase'), 1, { dash: [3, 3] })),
    ...(hasRoom ? names : []).map(({ name, at }) => drawText(at, panel.top - 6, name, style)),
  ];
}

function screenPoints(frame: Frame, times: readonly number[], values: readonly number[]): Point[] {
  return listPoints(times, values).map((point) => ({ x: frame.x(point.x), y: frame.y(point.y) }));
}

function getPointLimit(panel: Panel): number {
  return Math.min(POINTS_MAX, Math.ceil(panel.width));
}

/** Raw traces are drawn first, so that no trace hides a fit. */
function drawTraces(panel: Panel, frame: Frame): Mark[] {
  const raw = panel.curves.flatMap((curve) => {
    const points = screenPoints(frame, curve.time_s, curve.signal);
    const { color } = getSeries(panel, curve);
    if (points.length < SPARSE) return drawRounded(writeDotPath(points), createStroke(color, 3.6));
    return drawRounded(
      writeLinePath(keepExtremes(points, getPointLimit(panel))),
      createStroke(color, curve.fit === null ? UNFITTED_WIDTH : RAW_WIDTH),
    );
  });
  const fits = panel.curves.flatMap((curve) => {
    if (curve.fit === null) return [];
    const points = screenPoints(frame, curve.time_s, curve.fit);
    return drawRounded(
      writeLinePath(keepExtremes(points, getPointLimit(panel))),
      createStroke(getColor('fit'), FIT_WIDTH),
    );
  });
  return [...raw, ...fits];
}

function drawRounded(d: string, paint: Paint): Mark[] {
  return drawPathIfAny(d, { ...paint, join: 'round', cap: 'round' });
}

/** Returns the residual: as stored, or the difference when only the fit is stored. */
export function computeResidual(curve: Curve): readonly number[] | null {
  const { fit, residual, signal } = curve;
  if (residual !== null || fit === null) return residual;
  return signal.map((value, index) => value - (fit[index] ?? Number.NaN));
}

function drawResidualTraces(panel: Panel, frame: Frame): Mark[] {
  return panel.curves.flatMap((curve) => {
    const clampToFrame = (y: number) => Math.max(frame.top, Math.min(y, frame.bottom));
    const points = screenPoints(frame, curve.time_s, computeResidual(curve) ?? []).map(({ x, y }) => ({
      x,
      y: clampToFrame(y),
    }));
    const { color } = getSeries(panel, curve);
    if (points.length < SPARSE) return drawRounded(writeDotPath(points), createStroke(color, 2.4));
    const line = writeLinePath(keepExtremes(points, getPointLimit(panel)));
    return drawRounded(line, createStroke(color, 0.8, { strokeOpacity: 0.85 }));
  });
}

function getSeries({ series }: Panel, { concentration_m: concentrationM }: Curve): Series {
  const match = series.find((each) => each.concentrationM === concentrationM);
  return match ?? { name: '', concentrationM, color: getColor('muted'), shape: 'circle' };
}

function drawThresholdLine({ left, width, threshold, axes }: Panel, { y }: Frame): Mark[] {
  if (threshold === null || threshold > axes.signal.high) return [];
  return [
    drawPath(
      `M${formatPx(left)} ${formatPx(y(threshold))}h${formatPx(width)}`,
      createStroke(getColor('ink'), 1, { dash: [5, 3] }),
    ),
  ];
}

/** Position of the first marker as a fraction of association, and the distance of each next one before it. */
const MARK_AT = 0.94;
const MARK_STEP = 0.13;

/** Draws one marker on each trace, toward the end of association, where concentrations are furthest apart. */
function drawMarks(panel: Panel, frame: Frame): Mark[] {
  return panel.curves.flatMap((curve) => {
    const { color, shape } = getSeries(panel, curve);
    const place = panel.series.findIndex((each) => each.concentrationM === curve.concentration_m);
    const share = MARK_AT - MARK_STEP * ((panel.series.length - 1 - place) % SHAPE_COUNT);
    const { association_start_s: start, dissociation_start_s: end } = curve;
    const at = markPoint(curve, frame, start + share * (end - start));
    return at === undefined ? [] : [drawMarker(shape, at.x, at.y, color)];
  });
}

/** Returns a point on the fit, or the mean of the points around, because a single point is noise. */
function markPoint(curve: Curve, frame: Frame, time: number): Point | undefined {
  const values = curve.fit ?? curve.signal;
  const points = listPoints(curve.time_s, values);
  const nearest = points.reduce<number>(
    (best, point, index) =>
      Math.abs(point.x - time) < Math.abs((points[best]?.x ?? Infinity) - time) ? index : best,
    0,
  );
  const around = points.slice(Math.max(0, nearest - 5), nearest + 6);
  const center = points[nearest];
  if (center === undefined) return undefined;
  const level = curve.fit === null ? around.reduce((sum, { y }) => sum + y, 0) / around.length : center.y;
  return { x: frame.x(center.x), y: frame.y(level) };
}

function drawSignalTicks(panel: Panel, frame: Frame, axis: Axis): Mark[] {
  const { left, isFirst, signalUnit } = panel;
  const marks = axis.ticks.map((tick) => `M${formatPx(left - 4)} ${formatPx(frame.y(tick))}h4`);
  const spine = `M${formatPx(left)} ${formatPx(frame.top)}V${formatPx(frame.bottom)}`;
  const lines = drawPath([spine, ...marks].join(''), createStroke(getColor('axis'), 1));
  if (!isFirst) return [lines];
  const numbers = axis.ticks.map((tick) =>
    drawText(left - 8, frame.y(tick) + 3.8, tickText(tick, axis.decimals), { anchor: 'end' }),
  );
  const name = `${axis === panel.axes.signal ? 'Signal' : 'Residual'} (${signalUnit})`;
  const middle = (frame.top + frame.bottom) / 2;
  // Both plots use the same distance, so that the axis names are aligned.
  const { signal, residual } = panel.axes;
  const at = computeAxisNameOffset(
    [signal, ...(residual === null ? [] : [residual])].flatMap(({ ticks, decimals }) =>
      ticks.map((tick) => tickText(tick, decimals)),
    ),
  );
  return [
    lines,
    ...numbers,
    drawText(left - at, middle, name, { anchor: 'middle', turned: true, size: 11.5 }),
  ];
}

function drawTimeTicks(panel: Panel, frame: Frame, isLast: boolean): Mark[] {
  const { left, width, axes } = panel;
  const marks = axes.time.ticks.map((tick) => `M${formatPx(frame.x(tick))} ${formatPx(frame.bottom)}v4`);
  const spine = `M${formatPx(left)} ${formatPx(frame.bottom)}h${formatPx(width)}`;
  const lines = drawPath([spine, ...(isLast ? marks : [])].join(''), createStroke(getColor('axis'), 1));
  if (!isLast) return [lines];
  const numbers = axes.time.ticks.map((tick) =>
    drawText(frame.x(tick), frame.bottom + 16, tickText(tick, axes.time.decimals), { anchor: 'middle' }),
  );
  const name = drawText(left + width / 2, frame.bottom + 33, 'Time (s)', { anchor: 'middle', size: 12 });
  return [lines, ...numbers, name];
}
