/** A plot of kon over koff of every result, both on logarithmic axes, with diagonals of equal KD. */
import { isLimit } from '#core/relations.ts';
import type { RankedExperiment, RankedResult } from '../ranked.ts';
import { listMultiples, formatPx } from '#documents/figures/scale.ts';
import { getColor, getSeriesColor, type Color } from '#documents/colors.ts';
import { formatConcentration, splitPower } from '#core/number-words.ts';
import { computeTextWidth } from '#documents/figures/width.ts';
import type { ShownQuantity } from '../store.ts';
import { createDecadeAxis, createFrame, type Frame } from '#documents/figures/axes.ts';
import { drawLimitMark, drawMarker } from '#documents/figures/markers.ts';
import { composeFigure } from './picture.ts';
import { MARGIN, SMALLEST, WIDTH_MAX } from '#documents/figures/panel.ts';
import { drawPath, drawPathIfAny, createStroke, drawText, type Mark, type Scene } from '#documents/scene.ts';

const HEIGHT = 420;
const AXIS_WIDTH = 66;
const KD_WIDTH = 64;
const TOP = 20;
const FOOT = 46;
const SAMPLE = getSeriesColor(0, 3);
const CONTROL = getSeriesColor(2, 3);
/** Each axis spans at least this many decades, so that the diagonals are useful. */
const DECADES_MIN = 2;

/** With more results than this, error bars overlap and become unreadable. */
const BARS_MAX = 24;

interface Rates {
  readonly result: RankedResult;
  readonly kon: ShownQuantity & { readonly value: number };
  readonly koff: ShownQuantity & { readonly value: number };
}

/** Draws the map; undefined when no result has both rates. */
export function drawRates(experiment: RankedExperiment): Scene | undefined {
  const all = experiment.results.flatMap((result): Rates[] => {
    const { kon, koff } = result.quantities;
    return hasValue(kon) && hasValue(koff) ? [{ result, kon, koff }] : [];
  });
  if (all.length === 0) return undefined;
  const title = `Rate constants of ${experiment.code}`;
  const width = WIDTH_MAX - 2 * MARGIN - AXIS_WIDTH - KD_WIDTH;
  const x = createDecadeAxis(computeRange(all.map(({ koff }) => koff.value)));
  const y = createDecadeAxis(computeRange(all.map(({ kon }) => kon.value)));
  const count = `${all.length} of ${experiment.total} sequence${experiment.total === 1 ? '' : 's'}`;
  return composeFigure(
    {
      title,
      line: `kon and koff of ${count}`,
      description: `${title}: association over dissociation rate constant of ${count}, with diagonals of the same KD.`,
    },
    {
      width: WIDTH_MAX,
      height: TOP + HEIGHT + FOOT,
      series: [SAMPLE, CONTROL],
      caption: `Circle: sequence, diamond: control; number: rank by KD; ${all.length > BARS_MAX ? 'geometric means over replicates, whose 95% CI are in the tables' : 'bars: 95% CI of the geometric mean over replicates'}; open triangle: a limit, the value lies beyond it. Dashed diagonals: the KD written at their end. Results without both rates (no binding, steady state) are not shown.`,
      drawParts: (start) => {
        const frame = createFrame(
          { left: MARGIN + AXIS_WIDTH, top: start + TOP, width, height: HEIGHT },
          { axis: x, name: 'koff (1/s)', isDecades: true, format: tickText },
          { axis: y, name: 'kon (1/(M·s))', isDecades: true, format: tickText },
        );
        return [...frame.parts, ...drawDiagonals(frame, x, y), ...drawPoints(all, frame)];
      },
    },
  );
}

function hasValue(quantity: ShownQuantity | undefined): quantity is ShownQuantity & { value: number } {
  return typeof quantity?.value === 'number' && quantity.value > 0;
}

function computeRange(values: readonly number[]): { low: number; high: number } {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const missing = Math.max(0, DECADES_MIN - Math.log10(high / low)) / 2;
  return { low: low / 1.8 / 10 ** missing, high: high * 1.8 * 10 ** missing };
}

/** Writes powers of ten as powers. */
function tickText(value: number): string {
  const { mantissa, power } = splitPower(value);
  return mantissa === '1.0' ? power : `${Number(mantissa)}×${power}`;
}

interface Ends {
  readonly low: number;
  readonly high: number;
}

/**
 * Draws log kon = log koff − log KD; each line is labeled where it leaves the plot, at the right or top, if labels do
 * not collide.
 */
function drawDiagonals(frame: Frame, x: Ends, y: Ends): Mark[] {
  const decades = listMultiples(1, Math.ceil(x.low - y.high), Math.floor(x.high - y.low));
  const drawn: Mark[] = [];
  const named: { left: number; right: number; y: number }[] = [];
  for (const kd of decades) {
    const from = Math.max(x.low, y.low + kd);
    const to = Math.min(x.high, y.high + kd);
    if (to - from < 0.05) continue;
    const [x1, y1] = [frame.x(10 ** from), frame.y(10 ** (from - kd))];
    const [x2, y2] = [frame.x(10 ** to), frame.y(10 ** (to - kd))];
    drawn.push(
      drawPath(
        `M${formatPx(x1)} ${formatPx(y1)}L${formatPx(x2)} ${formatPx(y2)}`,
        createStroke(getColor('phase'), 1, { dash: [6, 4] }),
      ),
    );
    const words = formatConcentration(10 ** kd);
    const width = computeTextWidth(words, SMALLEST);
    const isTop = x2 < frame.left + frame.width - 1;
    const place = isTop
      ? { left: x2 - width / 2, right: x2 + width / 2, y: frame.top - 6 }
      : { left: x2 + 6, right: x2 + 6 + width, y: y2 + 4 };
    const collides = named.some(
      (other) =>
        Math.abs(other.y - place.y) < SMALLEST + 2 &&
        other.left < place.right + 6 &&
        place.left < other.right + 6,
    );
    if (collides) continue;
    named.push(place);
    drawn.push(drawText(place.left, place.y, words, { color: getColor('muted') }));
  }
  return drawn;
}

/** Draws the best results first, so that the rank labels without space are those of the weakest. */
function drawPoints(all: readonly Rates[], frame: Frame): Mark[] {
  const occupied: { x: number; y: number; width: number }[] = [];
  const marks = all.map(({ result, kon, koff }) => {
    const color = result.is_control ? CONTROL : SAMPLE;
    const at = { x: frame.x(koff.value), y: frame.y(kon.value) };
    occupied.push({ x: at.x - 6, y: at.y, width: 12 });
    const crossing = all.length > BARS_MAX ? [] : drawBars(kon, koff, frame, color);
    return { result, at, parts: [...crossing, drawShape(result, kon, koff, at, color)] };
  });
  const labels = marks.flatMap(({ result, at }) => {
    if (result.place === null) return [];
    const words = String(result.place);
    const box = { x: at.x + 8, y: at.y - 7, width: computeTextWidth(words, SMALLEST) };
    const isFree =
      box.x + box.width < frame.left + frame.width &&
      box.y - SMALLEST > frame.top &&
      occupied.every(
        (other) =>
          Math.abs(other.y - box.y) > SMALLEST ||
          other.x > box.x + box.width + 1 ||
          box.x > other.x + other.width + 1,
      );
    if (!isFree) return [];
    occupied.push(box);
    return [drawText(box.x, box.y + 4, words)];
  });
  return [...marks.flatMap(({ parts }) => parts), ...labels];
}

function drawShape(
  result: RankedResult,
  kon: ShownQuantity,
  koff: ShownQuantity,
  at: { readonly x: number; readonly y: number },
  color: Color,
): Mark {
  if (isLimit(koff.relation)) return drawLimitMark(koff.relation, at.x, at.y, color);
  if (kon.relation === '>') return drawLimitMark('^', at.x, at.y, color);
  if (kon.relation === '<') return drawLimitMark('v', at.x, at.y, color);
  return drawMarker(result.is_control ? 'diamond' : 'circle', at.x, at.y, color);
}

function drawBars(kon: Rates['kon'], koff: Rates['koff'], frame: Frame, color: Color): Mark[] {
  const [right, bottom] = [frame.left + frame.width, frame.top + frame.height];
  const x = (value: number) => Math.max(frame.left, Math.min(right, frame.x(value)));
  const y = (value: number) => Math.max(frame.top, Math.min(bottom, frame.y(value)));
  const [at, level] = [frame.x(koff.value), frame.y(kon.value)];
  const across = listEnds(koff).map(
    ([low, high]) => `M${formatPx(x(low))} ${formatPx(level)}H${formatPx(x(high))}`,
  );
  const along = listEnds(kon).map(
    ([low, high]) => `M${formatPx(at)} ${formatPx(y(low))}V${formatPx(y(high))}`,
  );
  return drawPathIfAny([...across, ...along].join(''), createStroke(color, 1, { strokeOpacity: 0.55 }));
}

function listEnds({
  ci95_low: low,
  ci95_high: high,
}: ShownQuantity): (readonly [low: number, high: number])[] {
  return typeof low === 'number' && typeof high === 'number' && low > 0 ? [[low, high]] : [];
}
