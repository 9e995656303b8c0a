/**
 * Figures of melting curves: per replicate the signal with its fit, the residuals, the first derivative, and
 * scattering if measured.
 */
import { keepExtremes } from '#analysis/numerics/thinning.ts';
import { thermostabilityWords } from './words.ts';
import type { MeltCurve } from '#domain/results/curves.ts';
import { selectCurves } from '../../figures/curves.ts';
import {
  writeDotPath,
  writeLinePath,
  listPoints,
  formatPx,
  computeRange,
  createResidualAxis,
  type Axis,
  type Range,
} from '../../figures/scale.ts';
import { getColor, getSeriesColor } from '../../colors.ts';
import { fitText, computeTextWidth } from '../../figures/width.ts';
import type { ResultCurves } from '#domain/results/store.ts';
import {
  computeAxisWidth,
  createDataAxis,
  createFrame,
  createValueAxis,
  type AxisSpec,
  type Frame,
} from '../../figures/axes.ts';
import { writeMeltCaption } from '../../figures/melt-captions.ts';
import { spaceApart } from '../../figures/labels.ts';
import { MARGIN, composeResult, countColumns, drawPanelTitle, WIDTH_MAX } from '../../figures/picture.ts';
import {
  group,
  drawPath,
  drawPathIfAny,
  createStroke,
  drawText,
  type Mark,
  type Paint,
  type Scene,
} from '../../scene.ts';

const HEIGHTS = { signal: 168, residual: 48, derivative: 78, scattering: 62 } as const;
const GAP = 12;
const HEAD = 54;
const FOOT = 46;
const COLUMN_GAP = 22;
const WIDTH_OF_ONE = 560;
const POINTS_MAX = 320;
const DATA = getSeriesColor(0, 3);
const MARK = getSeriesColor(2, 3);
const SCATTERING = getSeriesColor(1, 3);

export function drawMelt(result: ResultCurves): Scene {
  const curves = selectCurves(result.curves, 'melt').filter(({ temperature_c: t }) => t.length > 1);
  const axes = computeAxes(curves, result.signal_unit);
  if (axes === undefined) return composeResult(result, thermostabilityWords, null);
  const columns = countColumns(curves.length);
  const rows = listRows(axes);
  const axis = computeAxisWidth(rows.map((row) => row.axis));
  const room = WIDTH_MAX - 2 * MARGIN - axis - (columns - 1) * COLUMN_GAP;
  const width = columns === 1 ? WIDTH_OF_ONE : Math.floor(room / columns);
  const plots = rows.reduce((sum, { height }) => sum + height + GAP, -GAP);
  const rowHeight = HEAD + plots + FOOT;
  return composeResult(
    result,
    thermostabilityWords,
    {
      width: 2 * MARGIN + axis + columns * (width + COLUMN_GAP) - COLUMN_GAP,
      height: Math.ceil(curves.length / columns) * rowHeight,
      series: [DATA, MARK, SCATTERING],
      caption: writeMeltCaption(result, curves),
      drawParts: (top) =>
        curves.map((curve, index) =>
          drawPanel(curve, {
            left: MARGIN + axis + (index % columns) * (width + COLUMN_GAP),
            top: top + HEAD + Math.floor(index / columns) * rowHeight,
            width,
            isFirst: index % columns === 0,
            rows,
            temperature: createDataAxis(axes.temperature, columns === 3 ? 4 : 7),
            words: describeReplicate(result, curve.replicate),
          }),
        ),
    },
    `Melting curves of ${result.sequence_name}, experiment ${result.experiment_code}, ${curves.length} replicates with fit, residuals and derivative: ${thermostabilityWords.writeLine(result)}.`,
  );
}

interface Axes {
  readonly temperature: Range;
  readonly signal: AxisSpec;
  /** Null without a fit. */
  readonly residual: AxisSpec | null;
  readonly derivative: AxisSpec;
  /** Null if scattering was not measured. */
  readonly scattering: AxisSpec | null;
}

/** Returns the axes that all panels share. */
function computeAxes(curves: readonly MeltCurve[], unit: string): Axes | undefined {
  const temperature = computeRange(curves.map((curve) => curve.temperature_c));
  const signal = computeRange(curves.flatMap((curve) => [curve.signal, keepPresent(curve.fit)]));
  const slope = computeRange(curves.map((curve) => curve.derivative_per_c));
  if (temperature === undefined || signal === undefined || slope === undefined) return undefined;
  const residual: Axis | null = createResidualAxis(curves.map((curve) => keepPresent(curve.residual)));
  const scattering = computeRange(curves.map((curve) => curve.scattering ?? []));
  // A ratio of two wavelengths has no unit.
  const isRatio = unit.includes('/');
  const shown = fitText(unit, 11, 90);
  return {
    temperature,
    signal: { axis: createValueAxis(signal, 5), name: isRatio ? shown : `Signal (${shown})` },
    residual: residual === null ? null : { axis: residual, name: 'Residual' },
    derivative: { axis: createValueAxis(slope, 3), name: isRatio ? 'd/dT (1/°C)' : 'd/dT (per °C)' },
    scattering:
      scattering === undefined ? null : { axis: createValueAxis(scattering, 2), name: 'Scattering' },
  };
}

interface Row {
  readonly kind: keyof typeof HEIGHTS;
  readonly height: number;
  readonly axis: AxisSpec;
}

function listRows(axes: Axes): Row[] {
  const kinds = ['signal', 'residual', 'derivative', 'scattering'] as const;
  return kinds.flatMap((kind) => {
    const axis = axes[kind];
    return axis === null ? [] : [{ kind, height: HEIGHTS[kind], axis }];
  });
}

function keepPresent(values: readonly (number | null)[] | null): number[] {
  return (values ?? []).flatMap((value) => value ?? []);
}

/** Describes the values of this replicate beside its Tm. */
function describeReplicate(result: ResultCurves, replicate: number): string {
  const row = result.replicates.find((each) => each.replicate === replicate) ?? {};
  const { tm, tm_all: several, tonset, r2, no_transition_reason: reason, outcome } = row;
  if (typeof tm !== 'number') {
    if (typeof reason === 'string') return `no Tm: ${reason.replaceAll('_', ' ')}`;
    return typeof outcome === 'string' && outcome !== 'measured' ? outcome.replaceAll('_', ' ') : '';
  }
  const all = Array.isArray(several) ? several.filter((each) => typeof each === 'number') : [];
  const facts = [
    ...(all.length > 1 ? [`Tm ${all.map((each) => each.toFixed(1)).join(', ')} °C`] : []),
    ...(typeof tonset === 'number' ? [`onset ${tonset.toFixed(1)} °C`] : []),
    ...(typeof r2 === 'number' ? [`R² ${r2.toFixed(4)}`] : []),
  ];
  return facts.join(', ');
}

interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly isFirst: boolean;
  readonly rows: readonly Row[];
  readonly temperature: Axis;
  readonly words: string;
}

function drawPanel(curve: MeltCurve, place: Place): Mark {
  const { left, top, width, isFirst, rows, words } = place;
  let y = top;
  const frames = new Map<Row['kind'], Frame>();
  for (const row of rows) {
    const isLast = row === rows.at(-1);
    const temperature = { axis: place.temperature, name: 'Temperature (°C)', isBare: !isLast };
    const box = { left, top: y, width, height: row.height };
    frames.set(row.kind, createFrame(box, temperature, { ...row.axis, isBare: !isFirst }));
    y += row.height + GAP;
  }
  const where = [curve.plate, curve.well].filter((each) => (each ?? '') !== '').join(' ');
  const { temperature_c: temperature } = curve;
  const lines = drawLines(curve, frames);
  return group([
    drawPanelTitle(left, top - 38, `Replicate ${curve.replicate}${where === '' ? '' : `, ${where}`}`, width),
    ...(words === '' ? [] : [drawText(left, top - 22, fitText(words, 11, width))]),
    ...[...frames.values()].flatMap(({ parts }) => parts),
    ...drawTemperatures(curve, frames),
    ...drawWithin(frames.get('signal'), (frame) => drawDots(temperature, curve.signal, frame, 3)),
    ...drawWithin(frames.get('residual'), (frame) => drawDots(temperature, curve.residual ?? [], frame, 2.2)),
    ...lines,
  ]);
}

function drawWithin<Part>(frame: Frame | undefined, draw: (frame: Frame) => Part[]): Part[] {
  return frame === undefined ? [] : draw(frame);
}

function drawLines(curve: MeltCurve, frames: ReadonlyMap<Row['kind'], Frame>): Mark[] {
  const { temperature_c: temperature } = curve;
  return [
    ...drawWithin(frames.get('signal'), (frame) =>
      drawLine(temperature, curve.fit ?? [], frame, createStroke(getColor('fit'), 1)),
    ),
    ...drawWithin(frames.get('residual'), (frame) => [
      drawPath(
        `M${formatPx(frame.left)} ${formatPx(frame.y(0))}h${formatPx(frame.width)}`,
        createStroke(getColor('fit'), 0.8),
      ),
    ]),
    ...drawWithin(frames.get('derivative'), (frame) =>
      drawLine(temperature, curve.derivative_per_c, frame, createStroke(DATA, 1.6)),
    ),
    ...drawWithin(frames.get('scattering'), (frame) =>
      drawLine(
        curve.scattering_temperature_c ?? [],
        curve.scattering ?? [],
        frame,
        createStroke(SCATTERING, 1.6),
      ),
    ),
  ];
}

type Values = readonly (number | null)[];

/** Places points in the plot; points outside it are drawn at its edge. */
function placePoints(xs: readonly number[], ys: Values, { x, y, top, height }: Frame) {
  const known = ys.map((value) => value ?? Number.NaN);
  return listPoints(xs, known).map((point) => ({
    x: x(point.x),
    y: Math.max(top, Math.min(top + height, y(point.y))),
  }));
}

function drawDots(xs: readonly number[], ys: Values, frame: Frame, size: number): Mark[] {
  const d = writeDotPath(keepExtremes(placePoints(xs, ys, frame), POINTS_MAX));
  return drawPathIfAny(d, createStroke(DATA, size, { strokeOpacity: 0.6, cap: 'round' }));
}

function drawLine(xs: readonly number[], ys: Values, frame: Frame, paint: Paint): Mark[] {
  return drawPathIfAny(writeLinePath(keepExtremes(placePoints(xs, ys, frame), POINTS_MAX)), {
    ...paint,
    join: 'round',
  });
}

interface Temperature {
  readonly celsius: number;
  /** `Tm1` */
  readonly symbol: string;
  /** Symbol with its number. */
  readonly name: string;
  readonly paint: Paint;
  readonly rows: readonly Row['kind'][];
}

/**
 * Draws Tm, onset and aggregation as vertical lines; their numbers are above, moved apart where they would collide.
 */
function drawTemperatures(curve: MeltCurve, frames: ReadonlyMap<Row['kind'], Frame>): Mark[] {
  const signal = frames.get('signal');
  if (signal === undefined) return [];
  const { tonset_c: onset, tagg_c: tagg, tm_c: tms } = curve;
  const folding = ['signal', 'residual', 'derivative'] as const;
  const unit = tms.length > 1 ? '' : ' °C';
  const marked: Temperature[] = [
    ...tms.map((celsius, index) => ({
      celsius,
      ...nameTemperature(tms.length > 1 ? `Tm${index + 1}` : 'Tm', celsius, unit),
      paint: createStroke(MARK, 1.6, { dash: [6, 3] }),
      rows: folding,
    })),
    ...(typeof tagg === 'number'
      ? [
          {
            celsius: tagg,
            ...nameTemperature('Tagg', tagg, unit),
            paint: createStroke(SCATTERING, 1.6, { dash: [8, 3, 2, 3] }),
            rows: ['signal', 'scattering'] as const,
          },
        ]
      : []),
  ];
  const names = fitNames(marked, signal.width);
  const labels = marked.map(({ celsius }, index) => ({
    at: signal.x(celsius),
    width: computeTextWidth(names[index] ?? '', 11, 600),
  }));
  const middles = spaceApart(labels, { low: signal.left, high: signal.left + signal.width, gap: LABEL_GAP });
  const lines: Temperature[] =
    typeof onset === 'number'
      ? [
          {
            celsius: onset,
            symbol: '',
            name: '',
            paint: createStroke(getColor('muted'), 1.1, { dash: [1.5, 3] }),
            rows: folding,
          },
        ]
      : [];
  return [
    ...[...lines, ...marked].map(({ celsius, paint, rows }) => {
      const through = rows.flatMap((kind) =>
        drawWithin(frames.get(kind), (frame) => [
          `M${formatPx(frame.x(celsius))} ${formatPx(frame.top)}v${formatPx(frame.height)}`,
        ]),
      );
      return drawPath(through.join(''), paint);
    }),
    ...names.map((name, index) =>
      drawText(middles[index] ?? signal.left, signal.top - 6, name, { weight: 600, anchor: 'middle' }),
    ),
  ];
}

const LABEL_GAP = 6;

function nameTemperature(symbol: string, celsius: number, unit: string) {
  return { symbol, name: `${symbol} ${celsius.toFixed(1)}${unit}` };
}

/** Omits the numbers, which the line above the plot has, if they do not fit beside one another. */
function fitNames(marked: readonly Temperature[], width: number): string[] {
  const full = marked.map(({ name }) => name);
  const needed = full.reduce((sum, name) => sum + computeTextWidth(name, 11, 600) + LABEL_GAP, 0);
  return needed <= width ? full : marked.map(({ symbol }) => symbol);
}
