/**
 * Figures of melting curves: per replicate the signal with its fit, the residuals, the first derivative, and
 * scattering if measured.
 */
import { keepExtremes } from '#analysis/numerics/thinning.ts';
import { thermostabilityWords } from './words.ts';
import type { MeltCurve } from '#domain/results/curves.ts';
import { curvesOf } from '../../figures/curves.ts';
import {
  dotPath,
  linePath,
  pointsOf,
  px,
  rangeOf,
  residualAxis,
  type Axis,
  type Range,
} from '../../figures/scale.ts';
import { colourOf, seriesColour } from '../../colours.ts';
import { fitText, textWidth } from '../../figures/width.ts';
import type { ResultCurves } from '#domain/results/store.ts';
import { axisWidth, dataAxis, frameOf, valueAxis, type AxisSpec, type Frame } from '../../figures/axes.ts';
import { writeMeltCaption } from '../../figures/melt-captions.ts';
import { apart } from '../../figures/labels.ts';
import { MARGIN, composeResult, countColumns, panelTitle, WIDTH_MAX } from '../../figures/picture.ts';
import { group, path, pathIfAny, stroke, text, type Mark, type Paint, type Scene } from '../../scene.ts';

const HEIGHTS = { signal: 168, residual: 48, derivative: 78, scattering: 62 } as const;
const GAP = 12;
const HEAD = 54;
const FOOT = 46;
const COLUMN_GAP = 22;
const WIDTH_OF_ONE = 560;
const POINTS_MAX = 320;
const DATA = seriesColour(0, 3);
const MARK = seriesColour(2, 3);
const SCATTERING = seriesColour(1, 3);

export function drawMelt(result: ResultCurves): Scene {
  const curves = curvesOf(result.curves, 'melt').filter(({ temperature_c: t }) => t.length > 1);
  const axes = axesOf(curves, result.signal_unit);
  if (axes === undefined) return composeResult(result, thermostabilityWords, null);
  const columns = countColumns(curves.length);
  const rows = rowsOf(axes);
  const axis = axisWidth(rows.map((row) => row.axis));
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
      parts: (top) =>
        curves.map((curve, index) =>
          panel(curve, {
            left: MARGIN + axis + (index % columns) * (width + COLUMN_GAP),
            top: top + HEAD + Math.floor(index / columns) * rowHeight,
            width,
            isFirst: index % columns === 0,
            rows,
            temperature: dataAxis(axes.temperature, columns === 3 ? 4 : 7),
            words: wordsOf(result, curve.replicate),
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
function axesOf(curves: readonly MeltCurve[], unit: string): Axes | undefined {
  const temperature = rangeOf(curves.map((curve) => curve.temperature_c));
  const signal = rangeOf(curves.flatMap((curve) => [curve.signal, present(curve.fit)]));
  const slope = rangeOf(curves.map((curve) => curve.derivative_per_c));
  if (temperature === undefined || signal === undefined || slope === undefined) return undefined;
  const residual: Axis | null = residualAxis(curves.map((curve) => present(curve.residual)));
  const scattering = rangeOf(curves.map((curve) => curve.scattering ?? []));
  // A ratio of two wavelengths has no unit.
  const isRatio = unit.includes('/');
  const shown = fitText(unit, 11, 90);
  return {
    temperature,
    signal: { axis: valueAxis(signal, 5), name: isRatio ? shown : `Signal (${shown})` },
    residual: residual === null ? null : { axis: residual, name: 'Residual' },
    derivative: { axis: valueAxis(slope, 3), name: isRatio ? 'd/dT (1/°C)' : 'd/dT (per °C)' },
    scattering: scattering === undefined ? null : { axis: valueAxis(scattering, 2), name: 'Scattering' },
  };
}

interface Row {
  readonly kind: keyof typeof HEIGHTS;
  readonly height: number;
  readonly axis: AxisSpec;
}

function rowsOf(axes: Axes): Row[] {
  const kinds = ['signal', 'residual', 'derivative', 'scattering'] as const;
  return kinds.flatMap((kind) => {
    const axis = axes[kind];
    return axis === null ? [] : [{ kind, height: HEIGHTS[kind], axis }];
  });
}

function present(values: readonly (number | null)[] | null): number[] {
  return (values ?? []).flatMap((value) => value ?? []);
}

/** Describes the values of this replicate beside its Tm. */
function wordsOf(result: ResultCurves, replicate: number): string {
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

function panel(curve: MeltCurve, place: Place): Mark {
  const { left, top, width, isFirst, rows, words } = place;
  let y = top;
  const frames = new Map<Row['kind'], Frame>();
  for (const row of rows) {
    const isLast = row === rows.at(-1);
    const temperature = { axis: place.temperature, name: 'Temperature (°C)', isBare: !isLast };
    const box = { left, top: y, width, height: row.height };
    frames.set(row.kind, frameOf(box, temperature, { ...row.axis, isBare: !isFirst }));
    y += row.height + GAP;
  }
  const where = [curve.plate, curve.well].filter((each) => (each ?? '') !== '').join(' ');
  const { temperature_c: temperature } = curve;
  const lines = drawnLines(curve, frames);
  return group([
    panelTitle(left, top - 38, `Replicate ${curve.replicate}${where === '' ? '' : `, ${where}`}`, width),
    ...(words === '' ? [] : [text(left, top - 22, fitText(words, 11, width))]),
    ...[...frames.values()].flatMap(({ parts }) => parts),
    ...temperatures(curve, frames),
    ...within(frames.get('signal'), (frame) => dots(temperature, curve.signal, frame, 3)),
    ...within(frames.get('residual'), (frame) => dots(temperature, curve.residual ?? [], frame, 2.2)),
    ...lines,
  ]);
}

function within<Part>(frame: Frame | undefined, draw: (frame: Frame) => Part[]): Part[] {
  return frame === undefined ? [] : draw(frame);
}

function drawnLines(curve: MeltCurve, frames: ReadonlyMap<Row['kind'], Frame>): Mark[] {
  const { temperature_c: temperature } = curve;
  return [
    ...within(frames.get('signal'), (frame) =>
      line(temperature, curve.fit ?? [], frame, stroke(colourOf('fit'), 1)),
    ),
    ...within(frames.get('residual'), (frame) => [
      path(`M${px(frame.left)} ${px(frame.y(0))}h${px(frame.width)}`, stroke(colourOf('fit'), 0.8)),
    ]),
    ...within(frames.get('derivative'), (frame) =>
      line(temperature, curve.derivative_per_c, frame, stroke(DATA, 1.6)),
    ),
    ...within(frames.get('scattering'), (frame) =>
      line(curve.scattering_temperature_c ?? [], curve.scattering ?? [], frame, stroke(SCATTERING, 1.6)),
    ),
  ];
}

type Values = readonly (number | null)[];

/** Places points in the plot; points outside it are drawn at its edge. */
function placed(xs: readonly number[], ys: Values, { x, y, top, height }: Frame) {
  const known = ys.map((value) => value ?? Number.NaN);
  return pointsOf(xs, known).map((point) => ({
    x: x(point.x),
    y: Math.max(top, Math.min(top + height, y(point.y))),
  }));
}

function dots(xs: readonly number[], ys: Values, frame: Frame, size: number): Mark[] {
  const d = dotPath(keepExtremes(placed(xs, ys, frame), POINTS_MAX));
  return pathIfAny(d, stroke(DATA, size, { strokeOpacity: 0.6, cap: 'round' }));
}

function line(xs: readonly number[], ys: Values, frame: Frame, paint: Paint): Mark[] {
  return pathIfAny(linePath(keepExtremes(placed(xs, ys, frame), POINTS_MAX)), { ...paint, join: 'round' });
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
function temperatures(curve: MeltCurve, frames: ReadonlyMap<Row['kind'], Frame>): Mark[] {
  const signal = frames.get('signal');
  if (signal === undefined) return [];
  const { tonset_c: onset, tagg_c: tagg, tm_c: tms } = curve;
  const folding = ['signal', 'residual', 'derivative'] as const;
  const unit = tms.length > 1 ? '' : ' °C';
  const marked: Temperature[] = [
    ...tms.map((celsius, index) => ({
      celsius,
      ...namesOf(tms.length > 1 ? `Tm${index + 1}` : 'Tm', celsius, unit),
      paint: stroke(MARK, 1.6, { dash: [6, 3] }),
      rows: folding,
    })),
    ...(typeof tagg === 'number'
      ? [
          {
            celsius: tagg,
            ...namesOf('Tagg', tagg, unit),
            paint: stroke(SCATTERING, 1.6, { dash: [8, 3, 2, 3] }),
            rows: ['signal', 'scattering'] as const,
          },
        ]
      : []),
  ];
  const names = fittingNames(marked, signal.width);
  const wanted = marked.map(({ celsius }, index) => ({
    at: signal.x(celsius),
    width: textWidth(names[index] ?? '', 11, 600),
  }));
  const middles = apart(wanted, { low: signal.left, high: signal.left + signal.width, gap: LABEL_GAP });
  const lines: Temperature[] =
    typeof onset === 'number'
      ? [
          {
            celsius: onset,
            symbol: '',
            name: '',
            paint: stroke(colourOf('muted'), 1.1, { dash: [1.5, 3] }),
            rows: folding,
          },
        ]
      : [];
  return [
    ...[...lines, ...marked].map(({ celsius, paint, rows }) => {
      const through = rows.flatMap((kind) =>
        within(frames.get(kind), (frame) => [
          `M${px(frame.x(celsius))} ${px(frame.top)}v${px(frame.height)}`,
        ]),
      );
      return path(through.join(''), paint);
    }),
    ...names.map((name, index) =>
      text(middles[index] ?? signal.left, signal.top - 6, name, { weight: 600, anchor: 'middle' }),
    ),
  ];
}

const LABEL_GAP = 6;

function namesOf(symbol: string, celsius: number, unit: string) {
  return { symbol, name: `${symbol} ${celsius.toFixed(1)}${unit}` };
}

/** Omits the numbers, which the line above the plot has, if they do not fit beside one another. */
function fittingNames(marked: readonly Temperature[], width: number): string[] {
  const full = marked.map(({ name }) => name);
  const needed = full.reduce((sum, name) => sum + textWidth(name, 11, 600) + LABEL_GAP, 0);
  return needed <= width ? full : marked.map(({ symbol }) => symbol);
}
