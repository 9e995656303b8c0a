/**
 * Figures of melting curves: per replicate the signal with its fit, the residuals, the first derivative, and
 * scattering if measured.
 */
import { formatCount } from '#core/words.ts';
import { keepExtremes } from '#analysis/numerics/thinning.ts';
import { formatRelation } from '#core/relations.ts';
import { thermostabilityWords, writeMeltCaption } from './melt-captions.ts';
import { describeWithoutTmBriefly } from './without-tm.ts';
import type { MeltCurve } from '#features/results/curves.ts';
import { listRecords } from '#documents/records.ts';
import { selectCurves, composeResult } from '#features/results/figures/picture.ts';
import {
  writeDotPath,
  writeLinePath,
  listPoints,
  formatPx,
  computeRange,
  createResidualAxis,
  type Axis,
  type Range,
} from '#documents/figures/scale.ts';
import { getColor, getSeriesColor } from '#documents/colors.ts';
import { fitText, computeTextWidth, wrapText } from '#documents/figures/width.ts';
import type { ResultCurves } from '#features/results/store.ts';
import {
  computeAxisWidth,
  createDataAxis,
  createFrame,
  createValueAxis,
  type AxisSpec,
  type Frame,
} from '#documents/figures/axes.ts';
import { spaceApart } from '#documents/figures/labels.ts';
import { MARGIN, countColumns, drawPanelTitle, WIDTH_MAX } from '#documents/figures/panel.ts';
import {
  group,
  drawPath,
  drawPathIfAny,
  createStroke,
  drawText,
  type Mark,
  type Paint,
  type Scene,
} from '#documents/scene.ts';

const HEIGHTS = { signal: 168, residual: 48, derivative: 78, scattering: 62 } as const;
const GAP = 12;
const HEAD = 54;
const FOOT = 46;
/** Of the lines below the title of a panel. */
const LINE_PITCH = 13;
const LINES_MAX = 3;
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
  const panels = curves.map((curve) => {
    const row = result.replicates.find((each) => each.replicate === curve.replicate) ?? {};
    return { curve, row, lines: wrapFacts(curve, row, width) };
  });
  const head = HEAD + LINE_PITCH * (Math.max(1, ...panels.map(({ lines }) => lines.length)) - 1);
  const rowHeight = head + plots + FOOT;
  return composeResult(
    result,
    thermostabilityWords,
    {
      width: 2 * MARGIN + axis + columns * (width + COLUMN_GAP) - COLUMN_GAP,
      height: Math.ceil(curves.length / columns) * rowHeight,
      series: [DATA, MARK, SCATTERING],
      caption: writeMeltCaption(result, curves),
      drawParts: (top) =>
        panels.map((panel, index) =>
          drawPanel(panel, {
            left: MARGIN + axis + (index % columns) * (width + COLUMN_GAP),
            top: top + head + Math.floor(index / columns) * rowHeight,
            width,
            isFirst: index % columns === 0,
            rows,
            temperature: createDataAxis(axes.temperature, columns === 3 ? 4 : 7),
          }),
        ),
    },
    `Melting curves of ${result.sequence_name}, experiment ${result.experiment_code}, ${formatCount(curves.length, 'replicate')} with fit, residuals and derivative: ${thermostabilityWords.writeLine(result)}.`,
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

/** Writes what the replicate says beside the numbers above its plot, in lines of the width of the panel. */
function wrapFacts(curve: MeltCurve, row: ReplicateRow, width: number): string[] {
  const { tm, tonset, tonset_relation: relation, r2, outcome } = row;
  const wrap = (text: string) => wrapText(text, { size: 11, width, lines: LINES_MAX });
  if (typeof tm !== 'number') {
    const reason = describeWithoutTmBriefly(row);
    if (reason !== undefined) return wrap(reason);
    return typeof outcome === 'string' && outcome !== 'measured' ? wrap(outcome.replaceAll('_', ' ')) : [];
  }
  const marked = listMarked(curve, row);
  const [aggregation, tms] = [true, false].map((isWanted) =>
    marked.filter(({ symbol }) => (symbol === 'Tagg') === isWanted).map(({ number }) => number),
  );
  const facts = [
    ...(areNumbersShown(marked, width)
      ? []
      : [`Tm ${tms?.join(', ')} °C`, ...(aggregation ?? []).map((number) => `Tagg ${number} °C`)]),
    ...(typeof tonset === 'number' ? [`onset ${formatSigned(tonset, relation)} °C`] : []),
    ...(typeof r2 === 'number' ? [`R² ${r2.toFixed(4)}`] : []),
  ];
  return joinFacts(facts, width).flatMap(wrap);
}

/** Begins a line between two facts, not within one. */
function joinFacts(facts: readonly string[], width: number): string[] {
  return facts.reduce<string[]>((lines, fact) => {
    const last = lines.at(-1);
    const joined = `${last}, ${fact}`;
    return last !== undefined && computeTextWidth(joined, 11) <= width
      ? [...lines.slice(0, -1), joined]
      : [...lines, fact];
  }, []);
}

type ReplicateRow = Readonly<Record<string, unknown>>;

/** `≈ 51.9` */
function formatSigned(celsius: number, relation: unknown): string {
  return `${formatRelation(typeof relation === 'string' ? relation : '=')}${celsius.toFixed(1)}`;
}

/** The relation of each transition of a replicate; a result of an earlier engine has that of the first alone. */
function findRelation({ transitions, tm_relation: first }: ReplicateRow, index: number): unknown {
  return listRecords(transitions)[index]?.tm_relation ?? first;
}

interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly isFirst: boolean;
  readonly rows: readonly Row[];
  readonly temperature: Axis;
}

interface Panel {
  readonly curve: MeltCurve;
  readonly row: ReplicateRow;
  readonly lines: readonly string[];
}

function drawPanel({ curve, row: replicate, lines: words }: Panel, place: Place): Mark {
  const { left, top, width, isFirst, rows } = place;
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
    drawPanelTitle(
      left,
      top - 38 - LINE_PITCH * Math.max(0, words.length - 1),
      `Replicate ${curve.replicate}${where === '' ? '' : `, ${where}`}`,
      width,
    ),
    ...words.map((line, index) => drawText(left, top - 22 - LINE_PITCH * (words.length - 1 - index), line)),
    ...[...frames.values()].flatMap(({ parts }) => parts),
    ...drawTemperatures(curve, replicate, frames),
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
  /** With its relation, such as `≈ 51.9`. */
  readonly number: string;
  /** Symbol with its number. */
  readonly name: string;
  readonly paint: Paint;
  readonly rows: readonly Row['kind'][];
}

/**
 * Draws Tm, onset and aggregation as vertical lines; their numbers are above, moved apart where they would collide.
 */
function drawTemperatures(
  curve: MeltCurve,
  row: ReplicateRow,
  frames: ReadonlyMap<Row['kind'], Frame>,
): Mark[] {
  const signal = frames.get('signal');
  if (signal === undefined) return [];
  const { tonset_c: onset } = curve;
  const marked = listMarked(curve, row);
  const names = marked.map(
    areNumbersShown(marked, signal.width) ? ({ name }) => name : ({ symbol }) => symbol,
  );
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
            number: '',
            name: '',
            paint: createStroke(getColor('muted'), 1.1, { dash: [1.5, 3] }),
            rows: FOLDING,
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

const FOLDING = ['signal', 'residual', 'derivative'] as const;

/** The temperatures with a label above the plot: every Tm, and aggregation. */
function listMarked({ tm_c: tms, tagg_c: tagg }: MeltCurve, row: ReplicateRow): Temperature[] {
  const unit = tms.length > 1 ? '' : ' °C';
  const name = (symbol: string, celsius: number, relation: unknown) => {
    const number = formatSigned(celsius, relation);
    return { celsius, symbol, number, name: `${symbol} ${number}${unit}` };
  };
  return [
    ...tms.map((celsius, index) => ({
      ...name(tms.length > 1 ? `Tm${index + 1}` : 'Tm', celsius, findRelation(row, index)),
      paint: createStroke(MARK, 1.6, { dash: [6, 3] }),
      rows: FOLDING,
    })),
    ...(typeof tagg === 'number'
      ? [
          {
            ...name('Tagg', tagg, row.tagg_relation),
            paint: createStroke(SCATTERING, 1.6, { dash: [8, 3, 2, 3] }),
            rows: ['signal', 'scattering'] as const,
          },
        ]
      : []),
  ];
}

/** Whether the numbers fit beside one another above the plot; otherwise the line above it has them. */
function areNumbersShown(marked: readonly Temperature[], width: number): boolean {
  const neededWidth = marked.reduce((sum, { name }) => sum + computeTextWidth(name, 11, 600) + LABEL_GAP, 0);
  return neededWidth <= width;
}
