/** Expression: the standard curve with where the replicates lie on it, their captures, and the yield. */
import { curvesOf, type CaptureCurve, type StandardCurve } from '../curves.ts';
import { text } from '../plot-panel.ts';
import { linePath, pointsOf, px, rangeOf, thin } from '../plot-scale.ts';
import { colourOf, fill, seriesColour, stroke } from '../plot-style.ts';
import type { ResultCurves } from '../store.ts';
import { decadeAxis, frameOf, valueAxis, type Frame } from './axes.ts';
import { MARGIN, picture } from './picture.ts';
import { valuePlot, type ReplicateDot } from './values.ts';

const HEIGHT = 250;
const HEAD = 34;
const FOOT = 54;
const AXIS_WIDTH = 64;
const GAP = 34;
const WIDTHS = { standard: 330, capture: 270, value: 110 } as const;
const STANDARD = seriesColour(0, 3);
const SAMPLE = seriesColour(2, 3);
const LIMIT = colourOf('muted');

interface Replicate extends ReplicateDot {
  readonly response: number;
}

export function expressionSvg(result: ResultCurves): string {
  const standards = curvesOf(result.curves, 'standard_curve');
  const captures = curvesOf(result.curves, 'capture').filter(({ time_s: times }) => times.length > 1);
  const [standard] = standards;
  const replicates = replicatesOf(result);
  if (standard === undefined && captures.length === 0 && replicates.length === 0)
    return picture(result, null);
  const panels = [
    ...(standard === undefined
      ? []
      : [{ width: WIDTHS.standard, draw: standardPanel(standard, replicates) }]),
    ...(captures.length === 0
      ? []
      : [{ width: WIDTHS.capture, draw: capturePanel(captures, result.signal_unit) }]),
    { width: WIDTHS.value, draw: yieldPanel(result, replicates) },
  ];
  const width = panels.reduce((sum, panel) => sum + AXIS_WIDTH + panel.width, 0) + GAP + 2 * MARGIN;
  return picture(result, {
    width,
    height: HEAD + HEIGHT + FOOT,
    series: [STANDARD, SAMPLE],
    key: `blue: standards${standards.length > 1 ? ` of ${standard?.plate ?? 'the first plate'}` : ''}; orange: this sequence; bar: mean with 95 % interval; triangles: limits`,
    description: `Expression of ${result.sequence_name}, experiment ${result.experiment_code}: standard curve, captures of ${captures.length} replicates and yield`,
    parts: (top) => {
      let left = MARGIN;
      return panels.flatMap((panel) => {
        left += AXIS_WIDTH;
        const drawn = panel.draw(left, top + HEAD);
        left += panel.width + GAP / panels.length;
        return drawn;
      });
    },
  });
}

type Draw = (left: number, top: number) => string[];

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

function title(left: number, top: number, words: string): string {
  return text(left, top - 14, words, { weight: 600, size: 12 });
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
    const dots = points.map(
      (point) =>
        `<circle cx="${px(frame.x(point.x))}" cy="${px(frame.y(point.y))}" r="3" ${fill(STANDARD)}/>`,
    );
    const samples = replicates
      .filter(({ relation, response }) => relation === '=' && response > 0)
      .map(({ value, response }) => cross(frame.x(value), frame.y(response)));
    return [
      '<g>',
      title(left, top, `Standard curve, ${standard.plate}`),
      ...frame.parts,
      ...limits(standard, frame),
      `<path d="${linePath(placed)}" ${stroke(colourOf('fit'), 1.1)}/>`,
      ...dots,
      ...samples,
      '</g>',
    ];
  };
}

function cross(x: number, y: number): string {
  return `<path d="M${px(x - 5)} ${px(y)}h10M${px(x)} ${px(y - 5)}v10" ${stroke(SAMPLE, 2)}/>`;
}

/** What lies outside of them is only bounded. */
function limits(standard: StandardCurve, frame: Frame): string[] {
  const { lloq_ng_per_ul: lloq, uloq_ng_per_ul: uloq } = standard;
  const mark = (value: number | null, name: string, anchor: 'end' | 'middle' | undefined): string[] => {
    if (value === null) return [];
    const at = frame.x(value);
    return [
      `<path d="M${px(at)} ${px(frame.top)}V${px(frame.top + frame.height)}" ${stroke(LIMIT, 1)} stroke-dasharray="5 3"/>`,
      text(at + (anchor === 'end' ? -4 : 4), frame.top + 12, `${name} ${Number(value.toPrecision(3))}`, {
        size: 10.5,
        colour: LIMIT,
        ...(anchor === undefined ? {} : { anchor }),
      }),
    ];
  };
  return [...mark(lloq, 'LLOQ', undefined), ...mark(uloq, 'ULOQ', 'end')];
}

function capturePanel(captures: readonly CaptureCurve[], unit: string): Draw {
  const time = rangeOf(captures.map((curve) => curve.time_s)) ?? { low: 0, high: 1 };
  const signal = rangeOf(captures.map((curve) => curve.signal)) ?? { low: 0, high: 1 };
  return (left, top) => {
    const least = Math.max(signal.high, 0.05);
    const frame = frameOf(
      { left, top, width: WIDTHS.capture, height: HEIGHT },
      { axis: valueAxis(time, 4), name: 'Time (s)' },
      { axis: valueAxis({ low: Math.min(0, signal.low), high: least }, 5), name: `Capture (${unit})` },
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
        `<path d="${linePath(thin(points, 240))}" ${stroke(SAMPLE, 1.6)} stroke-opacity="0.75" stroke-linejoin="round"/>`,
        `<path d="${linePath(line)}" ${stroke(colourOf('fit'), 1.3)}/>`,
      ];
    });
    return ['<g>', title(left, top, 'Capture with initial rate'), ...frame.parts, ...drawn, '</g>'];
  };
}

function yieldPanel(result: ResultCurves, replicates: readonly Replicate[]): Draw {
  return (left, top) => [
    '<g>',
    title(left, top, 'Yield'),
    ...valuePlot({
      box: { left, top, width: WIDTHS.value, height: HEIGHT },
      name: 'Yield (ng/µL)',
      quantity: result.quantities.yield_ng_per_ul,
      dots: replicates,
      colour: SAMPLE,
    }),
    '</g>',
  ];
}
