/** Figures of expression: the standard curve with the replicates on it, their captures, and the yield. */
import { formatCount } from '#core/words.ts';
import { keepExtremes } from '#analysis/numerics/thinning.ts';
import type { CaptureCurve, StandardCurve } from '#features/results/curves.ts';
import { selectCurves, composeResult, type Body } from '#features/results/figures/picture.ts';
import {
  writeLinePath,
  listPoints,
  formatPx,
  computeRange,
  createSignalAxis,
  type Axis,
} from '#documents/figures/scale.ts';
import { getColor, getSeriesColor } from '#documents/colors.ts';
import { fitText, computeTextWidth } from '#documents/figures/width.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { createDataAxis, createDecadeAxis, createFrame, type Frame } from '#documents/figures/axes.ts';
import { spaceApart } from '#documents/figures/labels.ts';
import { MARGIN, drawPanelTitle, SMALLEST } from '#documents/figures/panel.ts';
import { drawValuePlot, type ReplicateDot } from '#features/results/figures/values.ts';
import {
  drawCircle,
  fill,
  group,
  drawPath,
  createStroke,
  drawText,
  type Mark,
  type Scene,
} from '#documents/scene.ts';
import {
  describeDots,
  readSettings,
  writeAggregate,
  writeSource,
} from '#features/results/figures/captions.ts';
import { formatQuantity, writePlainLine } from '#features/results/words/quantities.ts';
import type { ResultWords } from '#features/results/words/result-words.ts';

const HEIGHT = 250;
const HEAD = 48;
const FOOT = 46;
const AXIS_WIDTH = 62;
const GAP = 20;
/** A narrower figure would have huge letters where it fills a page. */
const WIDTH_MIN = 560;
const WIDTHS = { standard: 226, capture: 176, value: 110 } as const;
const STANDARD = getSeriesColor(0, 3);
const SAMPLE = getSeriesColor(2, 3);
const LIMIT = getColor('muted');

interface Replicate extends ReplicateDot {
  readonly response: number;
}

export function drawExpression(result: ResultCurves): Scene {
  const standards = selectCurves(result.curves, 'standard_curve');
  const captures = selectCurves(result.curves, 'capture').filter(({ time_s: times }) => times.length > 1);
  const [standard] = standards;
  const replicates = listReplicates(result);
  const hasYield = replicates.length > 0 || typeof result.quantities.yield_ng_per_ul?.value === 'number';
  if (standard === undefined && captures.length === 0 && replicates.length === 0)
    return composeResult(result, expressionWords, null);
  const panels = [
    ...(standard === undefined
      ? []
      : [{ width: WIDTHS.standard, draw: buildStandardPanel(standard, replicates, result.signal_unit) }]),
    ...(captures.length === 0
      ? []
      : [{ width: WIDTHS.capture, draw: buildCapturePanel(captures, result.signal_unit) }]),
    ...(hasYield ? [{ width: WIDTHS.value, draw: buildYieldPanel(result, replicates) }] : []),
  ];
  const neededWidth = panels.reduce((sum, panel) => sum + AXIS_WIDTH + panel.width + GAP, -GAP) + 2 * MARGIN;
  const width = Math.max(neededWidth, WIDTH_MIN);
  const body: Body = {
    width,
    height: HEAD + HEIGHT + FOOT,
    series: [STANDARD, SAMPLE],
    caption: writeExpressionCaption(result, {
      plates: standards.length,
      captures: captures.length,
      hasLeftOut: standard?.excluded?.includes(true) === true,
      hasCrosses: standard !== undefined && replicates.some(isOnCurve),
    }),
    drawParts: (top) => {
      let left = MARGIN;
      return panels.flatMap((panel) => {
        left += AXIS_WIDTH;
        const drawn = panel.draw(left, top + HEAD);
        left += panel.width + GAP;
        return drawn;
      });
    },
  };
  return composeResult(
    result,
    expressionWords,
    body,
    `Expression of ${result.sequence_name}, experiment ${result.experiment_code}, ${describeParts(standard !== undefined, captures.length)}yield: ${expressionWords.writeLine(result)}.`,
  );
}

/** Names what is drawn beside the yield. */
function describeParts(hasStandards: boolean, captures: number): string {
  const parts = [
    ...(hasStandards ? ['standard curve'] : []),
    ...(captures > 0 ? [`captures of ${formatCount(captures, 'replicate')}`] : []),
  ];
  return parts.length === 0 ? '' : `${parts.join(', ')} and `;
}

type Draw = (left: number, top: number) => Mark[];

function listReplicates(result: ResultCurves): Replicate[] {
  return result.replicates.flatMap((row) => {
    const {
      yield_ng_per_ul: value,
      yield_ng_per_ul_relation: relation,
      loading_signal_adjusted: response,
    } = row;
    if (typeof value !== 'number') return [];
    return {
      value,
      relation: typeof relation === 'string' ? relation : '=',
      response: typeof response === 'number' ? response : Number.NaN,
    };
  });
}

function drawTitle(left: number, top: number, words: string, width: number): Mark {
  return drawPanelTitle(left, top - 26, words, width);
}

function buildStandardPanel(standard: StandardCurve, replicates: readonly Replicate[], unit: string): Draw {
  const points = standard.concentration_ng_per_ul
    .map((x, index) => ({
      x,
      y: standard.response[index] ?? Number.NaN,
      isLeftOut: standard.excluded?.[index] === true,
    }))
    .filter(({ x, y }) => x > 0 && y > 0);
  const line = listPoints(standard.fit_concentration_ng_per_ul, standard.fit_response).filter(
    ({ y }) => y > 0,
  );
  const xs = [...points, ...line].map(({ x }) => x);
  const ys = [...points, ...line].map(({ y }) => y);
  return (left, top) => {
    const x = createDecadeAxis({ low: Math.min(...xs), high: Math.max(...xs) });
    const y = createDecadeAxis({ low: Math.min(...ys) * 0.8, high: Math.max(...ys) * 1.3 });
    const frame = createFrame(
      { left, top, width: WIDTHS.standard, height: HEIGHT },
      { axis: x, name: 'Concentration (ng/µL)', isDecades: true },
      { axis: y, name: `Initial rate (${fitText(unit, 11, 60)}/s)`, isDecades: true },
    );
    const placed = line.map((point) => ({ x: frame.x(point.x), y: frame.y(point.y) }));
    const dots = points.map(({ x: level, y: response, isLeftOut }) => {
      const paint = isLeftOut ? createStroke(STANDARD, 1.4) : fill(STANDARD);
      return drawCircle(frame.x(level), frame.y(response), isLeftOut ? 3.5 : 3, paint);
    });
    const samples = replicates
      .filter(({ value, response }) => isWithin(Math.log10(value), x) && isWithin(Math.log10(response), y))
      .filter(isOnCurve)
      .map(({ value, response }) => drawCross(frame.x(value), frame.y(response)));
    return [
      group([
        drawTitle(left, top, `Standard curve, ${standard.plate}`, WIDTHS.standard),
        ...frame.parts,
        ...drawLimits(standard, frame),
        drawPath(writeLinePath(placed), createStroke(getColor('fit'), 1.1)),
        ...dots,
        ...samples,
      ]),
    ];
  };
}

/** A limit has no place on the standard curve. */
const isOnCurve = ({ relation, response }: Replicate): boolean => relation === '=' && response > 0;

function isWithin(value: number, { low, high }: Axis): boolean {
  return value >= low && value <= high;
}

function drawCross(x: number, y: number): Mark {
  return drawPath(
    `M${formatPx(x - 5)} ${formatPx(y)}h10M${formatPx(x)} ${formatPx(y - 5)}v10`,
    createStroke(SAMPLE, 2),
  );
}

/** Draws the limits of quantification; values outside are only limits. The numbers are above the plot. */
function drawLimits(standard: StandardCurve, frame: Frame): Mark[] {
  const { lloq_ng_per_ul: lloq, uloq_ng_per_ul: uloq } = standard;
  const marked = [
    { value: lloq, name: 'LLOQ' },
    { value: uloq, name: 'ULOQ' },
  ].flatMap(({ value, name }) =>
    value === null ? [] : [{ at: frame.x(value), words: `${name} ${Number(value.toPrecision(3))}` }],
  );
  const labels = marked.map(({ at, words }) => ({ at, width: computeTextWidth(words, SMALLEST) }));
  const middles = spaceApart(labels, { low: frame.left, high: frame.left + frame.width, gap: 8 });
  return marked.flatMap(({ at, words }, index) => [
    drawPath(
      `M${formatPx(at)} ${formatPx(frame.top)}V${formatPx(frame.top + frame.height)}`,
      createStroke(LIMIT, 1.1, { dash: [5, 3] }),
    ),
    drawText(middles[index] ?? at, frame.top - 6, words, { anchor: 'middle', color: LIMIT }),
  ]);
}

function buildCapturePanel(captures: readonly CaptureCurve[], unit: string): Draw {
  const time = computeRange(captures.map((curve) => curve.time_s)) ?? { low: 0, high: 1 };
  const signal = computeRange(captures.map((curve) => curve.signal)) ?? { low: 0, high: 1 };
  return (left, top) => {
    const least = Math.max(signal.high, 0.05);
    const frame = createFrame(
      { left, top, width: WIDTHS.capture, height: HEIGHT },
      { axis: createDataAxis(time, 4), name: 'Time (s)' },
      {
        axis: createSignalAxis({ low: signal.low, high: least }, 5),
        name: `Capture (${fitText(unit, 11, 90)})`,
      },
    );
    const drawn = captures.flatMap((curve) => {
      const points = listPoints(curve.time_s, curve.signal).map(({ x, y }) => ({
        x: frame.x(x),
        y: frame.y(y),
      }));
      const line = curve.time_s.flatMap((seconds, index) => {
        const value = curve.fit[index];
        return typeof value === 'number' ? { x: frame.x(seconds), y: frame.y(value) } : [];
      });
      return [
        drawPath(
          writeLinePath(keepExtremes(points, 240)),
          createStroke(SAMPLE, 1.6, { strokeOpacity: 0.75, join: 'round' }),
        ),
        drawPath(writeLinePath(line), createStroke(getColor('fit'), 1.3)),
      ];
    });
    return [
      group([drawTitle(left, top, 'Capture with initial rate', WIDTHS.capture), ...frame.parts, ...drawn]),
    ];
  };
}

function buildYieldPanel(result: ResultCurves, replicates: readonly Replicate[]): Draw {
  return (left, top) => [
    group([
      drawTitle(left, top, 'Yield', WIDTHS.value),
      ...drawValuePlot({
        box: { left, top, width: WIDTHS.value, height: HEIGHT },
        name: 'Yield (ng/µL)',
        quantity: result.quantities.yield_ng_per_ul,
        dots: replicates,
        color: SAMPLE,
      }),
    ]),
  ];
}

interface Drawn {
  /** Number of standard curves. */
  readonly plates: number;
  /** Number of captures. */
  readonly captures: number;
  /** Whether a standard of the drawn curve was left out of it. */
  readonly hasLeftOut: boolean;
  /** Whether a replicate is marked on the standard curve. */
  readonly hasCrosses: boolean;
}

export function writeExpressionCaption(
  result: ResultCurves,
  { plates, captures, hasLeftOut, hasCrosses }: Drawn,
): string {
  const { rate_from_s: from, rate_to_s: to } = readSettings(result);
  const { nc_adjusted: isSubtracted, quantification } = result.summary;
  const { yield_ng_per_ul: amount } = result.quantities;
  const window = typeof from === 'number' && typeof to === 'number' ? ` of ${from}–${to} s` : '';
  const more = plates > 1 ? ` (first of ${plates} plates)` : '';
  const subtraction = typeof isSubtracted === 'boolean' ? describeSubtraction(isSubtracted) : '';
  const how = typeof quantification === 'string' ? QUANTIFICATIONS[quantification] : undefined;
  return [
    ...(how === undefined ? [] : [`Yield ${how}${subtraction}.`]),
    ...(plates === 0
      ? []
      : [
          `Circles: standards${more}, with the four-parameter logistic through them${hasLeftOut ? '; open circle: a standard that was left out' : ''}${hasCrosses ? `; crosses: replicates of this sequence${subtraction}` : ''}; dashed: limits of quantification.`,
        ]),
    ...(captures === 0 ? [] : [`Captures with the line of their initial rate${window}.`]),
    ...(typeof amount?.value === 'number'
      ? [
          `Bar: ${writeAggregate(result, amount, {
            mean: 'geometric',
            member: 'yield_ng_per_ul',
            error: plates > 0 ? 'calibration' : 'well',
            amongLimits: 'median',
          })}`,
        ]
      : ['No yield was determined.']),
    ...(typeof amount?.ci95_low === 'number' ? ['Whiskers: that interval.'] : []),
    describeDots(
      result.replicates.map((row) => ({
        value: row.yield_ng_per_ul,
        relation: row.yield_ng_per_ul_relation,
      })),
      { quantity: amount, where: plates === 0 ? '' : ' beside the bar' },
    ),
    writeSource(result),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

const QUANTIFICATIONS: Readonly<Record<string, string>> = {
  bli_capture: 'by capture on a sensor and a standard curve',
  a280: 'from the absorbance at 280 nm and the sequence, without a standard curve',
};

function describeSubtraction(isSubtracted: boolean): string {
  return isSubtracted ? ', minus the control without DNA' : ', no control without DNA subtracted';
}

export const expressionWords: ResultWords = {
  writeLine,
  curves: 'captures',
};

function writeLine(result: ResultCurves): string {
  const amount = formatQuantity(result.quantities.yield_ng_per_ul);
  if (amount === undefined) return writePlainLine(result);
  return result.outcome === 'not_expressed' ? `not expressed, yield ${amount}` : `yield ${amount}`;
}
