/**
 * The melting curves of a whole experiment: for each sequence the replicates and their derivatives in one plot, with
 * the control. Small plots on shared scales, many to a page.
 */
import { keepExtremes, type Point } from '#analysis/numerics/thinning.ts';
import type { MeltCurve } from '#features/results/curves.ts';
import { selectCurves, composeFigure } from '#features/results/figures/picture.ts';
import { writeLinePath, listPoints, formatPx, computeRange, type Range } from '#documents/figures/scale.ts';
import { getColor, getSeriesColor } from '#documents/colors.ts';
import { fitText } from '#documents/figures/width.ts';
import type { ResultCurves, ShownQuantity } from '#features/results/store.ts';
import {
  createDataAxis,
  createFrame,
  createValueAxis,
  type AxisSpec,
  type Frame,
} from '#documents/figures/axes.ts';
import { listTransitions, writeOverlaysCaption } from './melt-captions.ts';
import { MARGIN, drawPanelTitle, WIDTH_MAX } from '#documents/figures/panel.ts';
import { describeWithoutTmBriefly } from './without-tm.ts';
import { formatReplicateOutcome } from '#features/results/words/models.ts';
import { formatQuantityParts } from '#features/results/words/quantities.ts';
import {
  group,
  drawPathIfAny,
  createStroke,
  drawText,
  type Mark,
  type Paint,
  type Scene,
} from '#documents/scene.ts';

const COLUMNS = 3;
/** Rows that a page holds below the chapter heading and with a caption of several lines. */
const ROWS_OF_PAGE = 4;
const MELTS_OF_PAGE = COLUMNS * ROWS_OF_PAGE;
const AXIS_WIDTH = 58;
const COLUMN_GAP = 16;
const WIDTH = Math.floor((WIDTH_MAX - 2 * MARGIN - AXIS_WIDTH - (COLUMNS - 1) * COLUMN_GAP) / COLUMNS);
const HEAD = 38;
const SIGNAL = 80;
const GAP = 16;
const DERIVATIVE = 48;
const TICKS = 20;
const FOOT = 22;
const ROW = HEAD + SIGNAL + GAP + DERIVATIVE + TICKS;
const POINTS_MAX = 110;
const DATA = getSeriesColor(0, 3);
const CONTROL = getSeriesColor(2, 3);

/**
 * One curve scaled from its lowest to its highest value, and its slope on that scale, at the points that are drawn.
 */
interface Line {
  readonly signal: readonly Point[];
  readonly derivative: readonly Point[];
  /** Range of slopes within its transitions; null if it has no transition. */
  readonly steps: Range | null;
}

interface Melt {
  readonly name: string;
  readonly isControl: boolean;
  readonly place: number | null;
  readonly tm: ShownQuantity | undefined;
  /** Number of its transitions, of which `tm` is the first. */
  readonly transitions: number;
  /** Shown in place of Tm. */
  readonly reason: string;
  readonly lines: readonly Line[];
}

/** Takes results one by one, so that their points need not be in memory together. */
export class MeltOverlays {
  readonly #melts: Melt[] = [];
  /** The lab's own control, whose curves no result contains. */
  #labControl: { name: string; tmC: number } | null = null;
  #caption: ResultCurves | null = null;

  take(result: ResultCurves): void {
    const curves = selectCurves(result.curves, 'melt').filter(({ temperature_c: t }) => t.length > 1);
    if (curves.length === 0) return;
    const { tm, delta_tm_vs_control: delta } = result.quantities;
    const { delta_tm_control: control } = result.summary;
    if (typeof control === 'string' && typeof delta?.value === 'number' && typeof tm?.value === 'number')
      this.#labControl ??= { name: control, tmC: tm.value - delta.value };
    // The caption comes from a result that states the method of Tm.
    if (this.#caption === null || typeof this.#caption.summary.tm_method !== 'string')
      this.#caption = { ...result, curves: [] };
    this.#melts.push({
      name: result.sequence_name,
      isControl: result.is_control,
      place: result.place,
      tm: typeof tm?.value === 'number' ? tm : undefined,
      transitions: listTransitions(result.summary.tm_all).length,
      reason:
        describeWithoutTmBriefly({ ...result.summary, flags: result.flags }) ??
        `no Tm: ${formatReplicateOutcome(result.outcome)}`,
      lines: curves.map(buildLine),
    });
  }

  /** Returns pages of `perPage` sequences each, all on one scale; none without a curve. */
  buildPages(code: string, perPage: number = MELTS_OF_PAGE): Scene[] {
    const [melts, example] = [this.#melts, this.#caption];
    if (example === null) return [];
    const axes = computeAxes(melts);
    const control = melts.find(({ isControl }) => isControl) ?? null;
    const count = Math.ceil(melts.length / perPage);
    return Array.from({ length: count }, (_, index) => {
      const shown = melts.slice(index * perPage, (index + 1) * perPage);
      const [first, last] = [index * perPage + 1, index * perPage + shown.length];
      const part = count === 1 ? '' : `, ${first}–${last}`;
      const title = `Melting curves of ${code}`;
      const sequences = `${melts.length} sequence${melts.length === 1 ? '' : 's'}`;
      const rows = Math.ceil(shown.length / COLUMNS);
      return composeFigure(
        {
          title,
          line: `${sequences}, most stable first${part}`,
          description: `${title}: for each of ${sequences} the replicates laid over one another, with their first derivatives.`,
        },
        {
          width: WIDTH_MAX,
          height: rows * ROW + FOOT,
          series: [DATA, CONTROL],
          caption: writeOverlaysCaption(example, {
            control: control?.name ?? null,
            labControl: this.#labControl?.name ?? null,
          }),
          drawParts: (top) =>
            shown.map((melt, at) =>
              drawPanel(melt, {
                left: MARGIN + AXIS_WIDTH + (at % COLUMNS) * (WIDTH + COLUMN_GAP),
                top: top + Math.floor(at / COLUMNS) * ROW,
                isFirst: at % COLUMNS === 0,
                isLowest: at + COLUMNS >= shown.length,
                axes,
                control: control === melt ? null : control,
                controlTmC: this.#labControl?.tmC ?? null,
              }),
            ),
        },
      );
    });
  }
}

function buildLine({ temperature_c: t, signal, derivative_per_c: slope, tm_c: tms }: MeltCurve): Line {
  const range = computeRange([signal]) ?? { low: 0, high: 1 };
  const span = range.high - range.low || 1;
  const thinPoints = (points: readonly Point[]): Point[] =>
    keepExtremes(points, POINTS_MAX).map(({ x, y }) => ({ x, y: Number(y.toPrecision(4)) }));
  return {
    steps: findSteps(t, slope, tms, span),
    signal: thinPoints(
      listPoints(
        t,
        signal.map((value) => (value - range.low) / span),
      ),
    ),
    derivative: thinPoints(
      listPoints(
        t,
        slope.map((value) => value / span),
      ),
    ),
  };
}

interface Axes {
  readonly temperature: Range;
  readonly derivative: AxisSpec;
}

const NEAR_C = 10;

function findSteps(
  temperatureC: readonly number[],
  slope: readonly number[],
  tms: readonly number[],
  span: number,
): Range | null {
  const near = slope.flatMap((value, index) =>
    tms.some((tm) => Math.abs((temperatureC[index] ?? Number.NaN) - tm) < NEAR_C) ? [value / span] : [],
  );
  return near.length === 0 ? null : (computeRange([near]) ?? null);
}

/**
 * Noise and aggregation have steeper slopes than unfolding, so the scale is that of the transitions, if there are
 * any.
 */
function computeAxes(melts: readonly Melt[]): Axes {
  const lines = melts.flatMap((melt) => melt.lines);
  const steps = lines.flatMap((each) => (each.steps === null ? [] : [[each.steps.low, each.steps.high]]));
  const slopes = computeRange(
    steps.length > 0 ? steps : lines.map((each) => each.derivative.map(({ y }) => y)),
  );
  return {
    temperature: computeRange(lines.map(({ signal }) => signal.map(({ x }) => x))) ?? { low: 0, high: 1 },
    derivative: { axis: createValueAxis(extendToZero(slopes ?? { low: 0, high: 1 }), 2), name: '1/°C' },
  };
}

/** Starts the range at zero if the other direction holds only what smoothing causes at the ends of a curve. */
function extendToZero({ low, high }: Range): Range {
  if (-low < ONE_SIDED * high) return { low: 0, high };
  return high < ONE_SIDED * -low ? { low, high: 0 } : { low, high };
}

const ONE_SIDED = 0.4;

interface Place {
  readonly left: number;
  readonly top: number;
  readonly isFirst: boolean;
  /** Whether nothing is drawn below it. */
  readonly isLowest: boolean;
  readonly axes: Axes;
  readonly control: Melt | null;
  readonly controlTmC: number | null;
}

function drawPanel(melt: Melt, { left, top, isFirst, isLowest, axes, control, controlTmC }: Place): Mark {
  const signal = { axis: createValueAxis({ low: 0, high: 1 }, 2), name: 'Signal', isBare: !isFirst };
  const temperature = { axis: createDataAxis(axes.temperature, 4), name: '' };
  const upper = createFrame(
    { left, top: top + HEAD, width: WIDTH, height: SIGNAL },
    { ...temperature, isBare: true },
    signal,
  );
  const lower = createFrame(
    { left, top: top + HEAD + SIGNAL + GAP, width: WIDTH, height: DERIVATIVE },
    { ...temperature, name: isLowest ? 'Temperature (°C)' : '' },
    { ...axes.derivative, isBare: !isFirst },
  );
  const rank = melt.place === null ? '' : `${melt.place}. `;
  const name = `${rank}${melt.name}`;
  const own = melt.isControl ? CONTROL : DATA;
  const frames = [upper, lower] as const;
  return group([
    drawPanelTitle(left, top + 16, name, WIDTH),
    drawText(left, top + 31, fitText(describeMelt(melt), 11, WIDTH), {
      color: getColor(melt.tm === undefined ? 'muted' : 'ink'),
    }),
    ...upper.parts,
    ...lower.parts,
    ...drawUpright(controlTmC, frames, createStroke(getColor('muted'), 1.1, { dash: [1.5, 3] })),
    ...drawUpright(melt.tm?.value ?? null, frames, createStroke(getColor('fit'), 1, { dash: [6, 3] })),
    ...(control?.lines.slice(0, 1) ?? []).flatMap((line) =>
      drawLine(line, frames, createStroke(CONTROL, 1.4, { dash: [4, 2.5] })),
    ),
    ...melt.lines.flatMap((line) => drawLine(line, frames, createStroke(own, 1.3, { strokeOpacity: 0.75 }))),
  ]);
}

/** `Tm 62.3 °C (61.8–62.8), n = 2` */
function describeMelt({ tm, transitions, reason, lines, isControl }: Melt): string {
  const parts = formatQuantityParts(tm, 1);
  const role = isControl ? 'control, ' : '';
  if (parts === undefined) return `${role}${reason}, n = ${lines.length}`;
  const interval = parts.interval === undefined ? '' : ` (${parts.interval})`;
  const first = transitions > 1 ? `, first of ${transitions}` : '';
  return `${role}Tm ${parts.value}${interval}${first}, n = ${tm?.n ?? lines.length}`;
}

function drawLine(
  { signal, derivative }: Line,
  [upper, lower]: readonly [Frame, Frame],
  paint: Paint,
): Mark[] {
  return [[signal, upper] as const, [derivative, lower] as const].flatMap(([points, frame]) => {
    const d = writeLinePath(points.map((point) => clampToPlot(point, frame)));
    return drawPathIfAny(d, { ...paint, join: 'round' });
  });
}

/** Points outside the plot are drawn at its edge. */
function clampToPlot({ x, y }: Point, frame: Frame): Point {
  const { top, height } = frame;
  return { x: frame.x(x), y: Math.max(top, Math.min(top + height, frame.y(y))) };
}

function drawUpright(celsius: number | null, frames: readonly Frame[], paint: Paint): Mark[] {
  if (celsius === null) return [];
  const through = frames.flatMap(({ left, width, top, height, x }) => {
    const at = x(celsius);
    return at < left || at > left + width ? [] : [`M${formatPx(at)} ${formatPx(top)}v${formatPx(height)}`];
  });
  return drawPathIfAny(through.join(''), paint);
}
