/** Melting curves: per replicate the signal with its fit, below it the first derivative, and the melting temperatures on both. */
import { curvesOf, type MeltCurve } from '../curves.ts';
import { text } from '../plot-panel.ts';
import { dotPath, linePath, pointsOf, px, rangeOf, thin, type Range } from '../plot-scale.ts';
import { colourOf, seriesColour, stroke } from '../plot-style.ts';
import { fitText } from '../plot-text.ts';
import type { ResultCurves } from '../store.ts';
import { dataAxis, frameOf, valueAxis, type Frame } from './axes.ts';
import { MARGIN, picture } from './picture.ts';

const SIGNAL_HEIGHT = 210;
const DERIVATIVE_HEIGHT = 110;
const GAP = 14;
const HEAD = 34;
const FOOT = 52;
const AXIS_WIDTH = 64;
const POINTS_MAX = 320;
const DATA = seriesColour(0, 3);
const MARK = seriesColour(2, 3);

/** By number of columns. */
const WIDTHS = [560, 360, 280] as const;

export function meltSvg(result: ResultCurves): string {
  const curves = curvesOf(result.curves, 'melt').filter(({ temperature_c: t }) => t.length > 1);
  const temperature = rangeOf(curves.map((curve) => curve.temperature_c));
  const signal = rangeOf(curves.flatMap((curve) => [curve.signal, present(curve.fit)]));
  const slope = rangeOf(curves.map((curve) => curve.derivative_per_c));
  if (temperature === undefined || signal === undefined || slope === undefined) return picture(result, null);
  const ranges = { temperature, signal, slope };
  const columns = columnsOf(curves.length);
  const width = WIDTHS[columns - 1] ?? WIDTHS[0];
  const rowHeight = HEAD + SIGNAL_HEIGHT + GAP + DERIVATIVE_HEIGHT + FOOT;
  return picture(result, {
    width: 2 * MARGIN + AXIS_WIDTH + columns * (width + 26) - 26,
    height: Math.ceil(curves.length / columns) * rowHeight,
    series: [DATA, MARK],
    key: 'dots: measured; line: fit; dashed: Tm; dotted: onset of unfolding; below: first derivative',
    description: `Melting curves of ${result.sequence_name}, experiment ${result.experiment_code}, ${curves.length} replicates with fit and derivative`,
    parts: (top) =>
      curves.flatMap((curve, index) =>
        panel(curve, ranges, {
          left: MARGIN + AXIS_WIDTH + (index % columns) * (width + 26),
          top: top + HEAD + Math.floor(index / columns) * rowHeight,
          width,
          isFirst: index % columns === 0,
          unit: fitText(result.signal_unit, 11, 140),
          ticks: columns === 3 ? 4 : 6,
        }),
      ),
  });
}

function columnsOf(panels: number): 1 | 2 | 3 {
  if (panels <= 1) return 1;
  return panels === 2 || panels === 4 ? 2 : 3;
}

function present(values: readonly (number | null)[] | null): number[] {
  return (values ?? []).flatMap((value) => value ?? []);
}

interface Ranges {
  readonly temperature: Range;
  readonly signal: Range;
  readonly slope: Range;
}

interface Place {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly isFirst: boolean;
  readonly unit: string;
  readonly ticks: number;
}

function panel(curve: MeltCurve, ranges: Ranges, place: Place): string[] {
  const { left, top, width, isFirst, unit } = place;
  const temperature = { axis: dataAxis(ranges.temperature, place.ticks), name: 'Temperature (°C)' };
  const signal = frameOf(
    { left, top, width, height: SIGNAL_HEIGHT },
    { ...temperature, isBare: true },
    { axis: valueAxis(ranges.signal, 5), name: unit, isBare: !isFirst },
  );
  const derivative = frameOf(
    { left, top: top + SIGNAL_HEIGHT + GAP, width, height: DERIVATIVE_HEIGHT },
    temperature,
    { axis: valueAxis(ranges.slope, 3), name: 'd/dT (1/°C)', isBare: !isFirst },
  );
  const well = curve.well === undefined || curve.well === null ? '' : `, well ${curve.well}`;
  return [
    '<g>',
    text(left, top - 20, `Replicate ${curve.replicate}${well}`, { weight: 600, size: 12 }),
    ...signal.parts,
    ...derivative.parts,
    ...marks(curve, signal, derivative),
    measured(curve.temperature_c, curve.signal, signal),
    fitted(curve, signal),
    line(curve.temperature_c, curve.derivative_per_c, derivative),
    '</g>',
  ].filter((part) => part !== '');
}

function measured(xs: readonly number[], ys: readonly number[], { x, y }: Frame): string {
  const points = pointsOf(xs, ys).map((point) => ({ x: x(point.x), y: y(point.y) }));
  return `<path d="${dotPath(thin(points, POINTS_MAX))}" ${stroke(DATA, 3)} stroke-opacity="0.55" stroke-linecap="round"/>`;
}

function fitted({ temperature_c: temperature, fit }: MeltCurve, { x, y }: Frame): string {
  if (fit === null) return '';
  const known = temperature.flatMap((celsius, index) => {
    const value = fit[index];
    return typeof value === 'number' ? { x: x(celsius), y: y(value) } : [];
  });
  return `<path d="${linePath(thin(known, POINTS_MAX))}" ${stroke(colourOf('fit'), 1)} stroke-linejoin="round"/>`;
}

function line(xs: readonly number[], ys: readonly number[], { x, y }: Frame): string {
  const points = pointsOf(xs, ys).map((point) => ({ x: x(point.x), y: y(point.y) }));
  return `<path d="${linePath(thin(points, POINTS_MAX))}" ${stroke(DATA, 1.4)} stroke-linejoin="round"/>`;
}

/** Through both plots; the number stands above the upper one, moved down where two would collide. */
function marks(curve: MeltCurve, signal: Frame, derivative: Frame): string[] {
  const bottom = derivative.top + derivative.height;
  const through = (celsius: number, top = signal.top): string =>
    `M${px(signal.x(celsius))} ${px(top)}V${px(signal.top + signal.height)}M${px(signal.x(celsius))} ${px(derivative.top)}V${px(bottom)}`;
  const parts: string[] = [];
  const { tonset_c: onset } = curve;
  // Below the numbers, which it would strike through.
  const belowNumbers = signal.top + 8 + 14 * curve.tm_c.length;
  if (typeof onset === 'number')
    parts.push(
      `<path d="${through(onset, belowNumbers)}" ${stroke(colourOf('muted'), 1)} stroke-dasharray="1.5 3"/>`,
    );
  for (const [index, tm] of curve.tm_c.entries()) {
    const at = signal.x(tm);
    const isRight = at > signal.left + signal.width * 0.7;
    parts.push(`<path d="${through(tm)}" ${stroke(MARK, 1.4)} stroke-dasharray="5 3"/>`);
    parts.push(
      text(
        at + (isRight ? -5 : 5),
        signal.top + 13 + 14 * index,
        `${curve.tm_c.length > 1 ? `Tm${index + 1}` : 'Tm'} ${tm.toFixed(1)} °C`,
        {
          size: 11,
          weight: 600,
          ...(isRight ? { anchor: 'end' as const } : {}),
        },
      ),
    );
  }
  return parts;
}
