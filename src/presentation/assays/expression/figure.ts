/** Figures of expression: the standard curve with the replicates on it, their captures, and the yield. */
import { keepExtremes } from '#analysis/numerics/thinning.ts';
import { expressionWords } from './words.ts';
import type { CaptureCurve, StandardCurve } from '#domain/results/curves.ts';
import { curvesOf } from '../../figures/curves.ts';
import { linePath, pointsOf, px, rangeOf, signalAxis, type Axis } from '../../figures/scale.ts';
import { colourOf, seriesColour } from '../../colours.ts';
import { fitText, textWidth } from '../../figures/width.ts';
import type { ResultCurves } from '#domain/results/store.ts';
import { dataAxis, decadeAxis, frameOf, type Frame } from '../../figures/axes.ts';
import { writeExpressionCaption } from './caption.ts';
import { apart } from '../../figures/labels.ts';
import { MARGIN, composeResult, panelTitle, SMALLEST, type Body } from '../../figures/picture.ts';
import { valuePlot, type ReplicateDot } from '../../figures/values.ts';
import { circle, fill, group, path, stroke, text, type Mark, type Scene } from '../../scene.ts';

const HEIGHT = 250;
const HEAD = 48;
const FOOT = 46;
const AXIS_WIDTH = 62;
const GAP = 20;
const WIDTHS = { standard: 226, capture: 176, value: 110 } as const;
const STANDARD = seriesColour(0, 3);
const SAMPLE = seriesColour(2, 3);
const LIMIT = colourOf('muted');

interface Replicate extends ReplicateDot {
  readonly response: number;
}

export function drawExpression(result: ResultCurves): Scene {
  const standards = curvesOf(result.curves, 'standard_curve');
  const captures = curvesOf(result.curves, 'capture').filter(({ time_s: times }) => times.length > 1);
  const [standard] = standards;
  const replicates = replicatesOf(result);
  if (standard === undefined && captures.length === 0 && replicates.length === 0)
    return composeResult(result, expressionWords, null);
  const panels = [
    ...(standard === undefined
      ? []
      : [{ width: WIDTHS.standard, draw: standardPanel(standard, replicates) }]),
    ...(captures.length === 0
      ? []
      : [{ width: WIDTHS.capture, draw: capturePanel(captures, result.signal_unit) }]),
    { width: WIDTHS.value, draw: yieldPanel(result, replicates) },
  ];
  const width = panels.reduce((sum, panel) => sum + AXIS_WIDTH + panel.width + GAP, -GAP) + 2 * MARGIN;
  const body: Body = {
    width,
    height: HEAD + HEIGHT + FOOT,
    series: [STANDARD, SAMPLE],
    caption: writeExpressionCaption(result, { plates: standards.length }),
    parts: (top) => {
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
    `Expression of ${result.sequence_name}, experiment ${result.experiment_code}, standard curve, captures of ${captures.length} replicates and yield: ${expressionWords.writeLine(result)}.`,
  );
}

type Draw = (left: number, top: number) => Mark[];

function replicatesOf(result: ResultCurves): Replicate[] {
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

function title(left: number, top: number, words: string, width: number): Mark {
  return panelTitle(left, top - 26, words, width);
}

function standardPanel(standard: StandardCurve, replicates: readonly Replicate[]): Draw {
  const points = pointsOf(standard.concentration_ng_per_ul, standard.response).filter(
    ({ x, y }) => x > 0 && y > 0,
  );
  const line = pointsOf(standard.fit_concentration_ng_per_ul, standard.fit_response).filter(({ y }) => y > 0);
  const xs = [...points, ...line].map(({ x }) => x);
  const ys = [...points, ...line].map(({ y }) => y);
  return (left, top) => {
    const x = decadeAxis({ low: Math.min(...xs), high: Math.max(...xs) });
    const y = decadeAxis({ low: Math.min(...ys) * 0.8, high: Math.max(...ys) * 1.3 });
    const frame = frameOf(
      { left, top, width: WIDTHS.standard, height: HEIGHT },
      { axis: x, name: 'Concentration (ng/µL)', isDecades: true },
      { axis: y, name: 'Initial rate (nm/s)', isDecades: true },
    );
    const placed = line.map((point) => ({ x: frame.x(point.x), y: frame.y(point.y) }));
    const dots = points.map((point) => circle(frame.x(point.x), frame.y(point.y), 3, fill(STANDARD)));
    const samples = replicates
      .filter(({ value, response }) => within(Math.log10(value), x) && within(Math.log10(response), y))
      .filter(({ relation }) => relation === '=')
      .map(({ value, response }) => cross(frame.x(value), frame.y(response)));
    return [
      group([
        title(left, top, `Standard curve, ${standard.plate}`, WIDTHS.standard),
        ...frame.parts,
        ...limits(standard, frame),
        path(linePath(placed), stroke(colourOf('fit'), 1.1)),
        ...dots,
        ...samples,
      ]),
    ];
  };
}

function within(value: number, { low, high }: Axis): boolean {
  return value >= low && value <= high;
}

function cross(x: number, y: number): Mark {
  return path(`M${px(x - 5)} ${px(y)}h10M${px(x)} ${px(y - 5)}v10`, stroke(SAMPLE, 2));
}

/** Draws the limits of quantification; values outside are only limits. The numbers are above the plot. */
function limits(standard: StandardCurve, frame: Frame): Mark[] {
  const { lloq_ng_per_ul: lloq, uloq_ng_per_ul: uloq } = standard;
  const marked = [
    { value: lloq, name: 'LLOQ' },
    { value: uloq, name: 'ULOQ' },
  ].flatMap(({ value, name }) =>
    value === null ? [] : [{ at: frame.x(value), words: `${name} ${Number(value.toPrecision(3))}` }],
  );
  const wanted = marked.map(({ at, words }) => ({ at, width: textWidth(words, SMALLEST) }));
  const middles = apart(wanted, { low: frame.left, high: frame.left + frame.width, gap: 8 });
  return marked.flatMap(({ at, words }, index) => [
    path(`M${px(at)} ${px(frame.top)}V${px(frame.top + frame.height)}`, stroke(LIMIT, 1.1, { dash: [5, 3] })),
    text(middles[index] ?? at, frame.top - 6, words, { anchor: 'middle', colour: LIMIT }),
  ]);
}

function capturePanel(captures: readonly CaptureCurve[], unit: string): Draw {
  const time = rangeOf(captures.map((curve) => curve.time_s)) ?? { low: 0, high: 1 };
  const signal = rangeOf(captures.map((curve) => curve.signal)) ?? { low: 0, high: 1 };
  return (left, top) => {
    const least = Math.max(signal.high, 0.05);
    const frame = frameOf(
      { left, top, width: WIDTHS.capture, height: HEIGHT },
      { axis: dataAxis(time, 4), name: 'Time (s)' },
      { axis: signalAxis({ low: signal.low, high: least }, 5), name: `Capture (${fitText(unit, 11, 90)})` },
    );
    const drawn = captures.flatMap((curve) => {
      const points = pointsOf(curve.time_s, curve.signal).map(({ x, y }) => ({
        x: frame.x(x),
        y: frame.y(y),
      }));
      const line = curve.time_s.flatMap((seconds, index) => {
        const value = curve.fit[index];
        return typeof value === 'number' ? { x: frame.x(seconds), y: frame.y(value) } : [];
      });
      return [
        path(
          linePath(keepExtremes(points, 240)),
          stroke(SAMPLE, 1.6, { strokeOpacity: 0.75, join: 'round' }),
        ),
        path(linePath(line), stroke(colourOf('fit'), 1.3)),
      ];
    });
    return [group([title(left, top, 'Capture with initial rate', WIDTHS.capture), ...frame.parts, ...drawn])];
  };
}

function yieldPanel(result: ResultCurves, replicates: readonly Replicate[]): Draw {
  return (left, top) => [
    group([
      title(left, top, 'Yield', WIDTHS.value),
      ...valuePlot({
        box: { left, top, width: WIDTHS.value, height: HEIGHT },
        name: 'Yield (ng/µL)',
        quantity: result.quantities.yield_ng_per_ul,
        dots: replicates,
        colour: SAMPLE,
      }),
    ]),
  ];
}
