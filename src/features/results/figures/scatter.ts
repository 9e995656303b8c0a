/** Two experiments against each other: a point for each design that both measured, with the line of equality. */
import { isLimit } from '#core/relations.ts';
import { getColor, getSeriesColor } from '#documents/colors.ts';
import { createDecadeAxis, createFrame, createValueAxis, type Frame } from '#documents/figures/axes.ts';
import { drawLimitMark, drawMarker } from '#documents/figures/markers.ts';
import { MARGIN, WIDTH_MAX } from '#documents/figures/panel.ts';
import { formatPx } from '#documents/figures/scale.ts';
import { createStroke, drawPath, drawPathIfAny, type Mark, type Scene } from '#documents/scene.ts';
import type { Comparison } from '../designs/contract.ts';
import type { Measure } from './measures.ts';
import { composeFigure } from './picture.ts';

const SIZE = 440;
const AXIS_WIDTH = 70;
const TOP = 14;
const FOOT = 46;
const SAMPLE = getSeriesColor(0, 3);
const CONTROL = getSeriesColor(2, 3);
/** With more points than this, intervals overlap and become unreadable. */
const BARS_MAX = 60;

type Value = NonNullable<Comparison['items'][number]['values'][number]>;
type Placed = Value & { readonly value: number };
interface Point {
  readonly x: Placed;
  readonly y: Placed;
  readonly isControl: boolean;
}

/** Draws the first two of the experiments. */
export function drawScatter({ experiments, items, quantity }: Comparison, measure: Measure): Scene {
  const [first, second] = experiments.map(({ experiment_code: code }) => code);
  const has = (value: Value | null | undefined): value is Placed =>
    typeof value?.value === 'number' && (!measure.isDecades || value.value > 0);
  const points = items.flatMap(({ values: [x, y], is_control: isControl }): Point[] =>
    has(x) && has(y) ? [{ x, y, isControl }] : [],
  );
  const all = points.flatMap(({ x, y }) => [x.value, y.value]);
  const range = computeRange(all, measure.isDecades);
  const axis = measure.isDecades ? createDecadeAxis(range) : createValueAxis(range, 6);
  const look = measure.isDecades && { isDecades: true };
  const format = measure.format !== undefined && { format: measure.format };
  const title = `${quantity} of ${first} and ${second}`;
  const line = `${points.length} ${points.length === 1 ? 'design' : 'designs'} with a value in both`;
  return composeFigure(
    {
      title,
      line,
      description: `${title}: ${line}, with the line on which both are equal.`,
    },
    {
      width: WIDTH_MAX,
      height: TOP + SIZE + FOOT,
      series: [SAMPLE, CONTROL],
      caption: `Circle: sample, diamond: control; ${points.length > BARS_MAX ? 'intervals are in the table' : 'bars: 95% CI'}; open triangle: a limit, the value lies beyond it. Dashed: both experiments give the same value. What has no value in one of them is not shown.`,
      drawParts: (start) => {
        const frame = createFrame(
          {
            left: MARGIN + AXIS_WIDTH,
            top: start + TOP,
            width: WIDTH_MAX - AXIS_WIDTH - 3 * MARGIN,
            height: SIZE,
          },
          { axis, name: `${measure.axis}, ${first}`, ...look, ...format },
          { axis, name: `${measure.axis}, ${second}`, ...look, ...format },
        );
        const bars = points.length > BARS_MAX ? [] : points.flatMap((point) => drawBars(point, frame));
        return [
          ...frame.parts,
          drawEquality(frame),
          ...bars,
          ...points.map((point) => drawPoint(point, frame)),
        ];
      },
    },
  );
}

function computeRange(values: readonly number[], isDecades: boolean): { low: number; high: number } {
  if (values.length === 0) return isDecades ? { low: 1e-10, high: 1e-5 } : { low: 0, high: 1 };
  const low = values.reduce((least, value) => Math.min(least, value));
  const high = values.reduce((most, value) => Math.max(most, value));
  if (isDecades) return { low: low / 2, high: high * 2 };
  const margin = (high - low) * 0.06 || Math.abs(high) * 0.05 || 1;
  return { low: low - margin, high: high + margin };
}

function drawEquality({ left, top, width, height }: Frame): Mark {
  return drawPath(
    `M${formatPx(left)} ${formatPx(top + height)}L${formatPx(left + width)} ${formatPx(top)}`,
    createStroke(getColor('phase'), 1.2, { dash: [6, 4] }),
  );
}

function drawPoint({ x, y, isControl }: Point, frame: Frame): Mark {
  const color = isControl ? CONTROL : SAMPLE;
  const [at, level] = [frame.x(x.value), frame.y(y.value)];
  if (x.relation === '<' || x.relation === '>') return drawLimitMark(x.relation, at, level, color);
  if (y.relation === '>') return drawLimitMark('^', at, level, color);
  if (y.relation === '<') return drawLimitMark('v', at, level, color);
  return drawMarker(isControl ? 'diamond' : 'circle', at, level, color);
}

/** Intervals, cut where the plot ends. */
function drawBars({ x, y, isControl }: Point, frame: Frame): Mark[] {
  const color = isControl ? CONTROL : SAMPLE;
  const clamp = (value: number, low: number, length: number) => Math.max(low, Math.min(low + length, value));
  const across = hasInterval(x)
    ? `M${formatPx(clamp(frame.x(x.ci95_low), frame.left, frame.width))} ${formatPx(frame.y(y.value))}H${formatPx(clamp(frame.x(x.ci95_high), frame.left, frame.width))}`
    : '';
  const along = hasInterval(y)
    ? `M${formatPx(frame.x(x.value))} ${formatPx(clamp(frame.y(y.ci95_low), frame.top, frame.height))}V${formatPx(clamp(frame.y(y.ci95_high), frame.top, frame.height))}`
    : '';
  return drawPathIfAny(across + along, createStroke(color, 1, { strokeOpacity: 0.5 }));
}

function hasInterval(value: Placed): value is Placed & { ci95_low: number; ci95_high: number } {
  const { ci95_low: low, ci95_high: high, relation } = value;
  return typeof low === 'number' && typeof high === 'number' && low > 0 && !isLimit(relation ?? '');
}
