/** A control chart after Levey and Jennings: values in their order, the mean, and lines at one, two and three SD. */
import { formatCount } from '#core/words.ts';
import type { Static } from '#core/schema.ts';
import type { listControlCharts } from './contract.ts';
import { getColor } from '#documents/colors.ts';
import { createStroke, drawPath, drawPathIfAny, drawText, type Mark, type Scene } from '#documents/scene.ts';
import { computeAxisWidth, createFrame, createValueAxis, type Frame } from '#documents/figures/axes.ts';
import { spaceApart } from '#documents/figures/labels.ts';
import { drawMarker } from '#documents/figures/markers.ts';
import { composeFigure } from '../results/figures/picture.ts';
import { MARGIN, SMALLEST, WIDTH_MAX } from '#documents/figures/panel.ts';
import { computeRange, formatPx, listMultiples, writeLinePath, type Axis } from '#documents/figures/scale.ts';

export type ShownChart = Static<(typeof listControlCharts)['output']>['charts'][number];

/** The newest so many values are drawn, so that their marks stay apart. */
const VALUES_MAX = 100;
const HEIGHT = 300;
/** Room on the right for the names of the lines. */
const NAMES_WIDTH = 58;
const FOOT = 46;
const LINES = [-3, -2, -1, 0, 1, 2, 3] as const;

/** How axes say units; the unit of a reading may be unknown. */
const UNITS: Readonly<Record<string, string>> = { 'log10 M': 'M', '': 'as read' };
const NAMES = { kd: 'log10 KD', tm: 'Tm', signal: 'Signal' } as const;

export function drawControlChart(chart: ShownChart): Scene {
  const points = chart.points.slice(-VALUES_MAX);
  const { control, target_name: target, instrument, lot, sd } = chart;
  const place = [target, instrument, lot === null ? null : `lot ${lot}`].filter((part) => part !== null);
  const yName = `${NAMES[chart.quantity]} (${UNITS[chart.unit] ?? chart.unit})`;
  const levels = listLevels(chart);
  const range = computeRange([points.map(({ value }) => value), levels.map(({ value }) => value)]);
  const yAxis = createValueAxis(range ?? { low: 0, high: 1 }, 6);
  const first = chart.n_values - points.length + 1;
  const left = MARGIN + computeAxisWidth([{ axis: yAxis }]);
  const box = { left, width: WIDTH_MAX - MARGIN - NAMES_WIDTH - left, height: HEIGHT };
  const title = `${control}${place.length === 0 ? '' : `: ${place.join(', ')}`}`;
  const scatter = sd === null ? 'no scatter yet' : `SD ${formatPlain(sd)}`;
  const line = `Mean ${formatPlain(chart.mean)} ${chart.unit}, ${scatter}, from ${formatCount(chart.n_baseline, 'value')}${chart.is_provisional ? ' (provisional)' : ''}`;
  const flags = chart.n_out_of_control === 0 ? [] : [`${chart.n_out_of_control} out of control`];
  return composeFigure(
    { title, line, flags, description: `Control chart of ${title}. ${line}.` },
    {
      width: WIDTH_MAX,
      height: HEIGHT + FOOT + 12,
      series: [],
      caption: writeCaption(chart, points.length),
      drawParts: (top) => {
        const frame = createFrame(
          { ...box, top: top + 12 },
          { axis: createNumberAxis(first, chart.n_values), name: 'Number of the value' },
          { axis: yAxis, name: yName },
        );
        return [...frame.parts, ...drawLevels(frame, levels), ...drawValues(frame, points, first)];
      },
    },
  );
}

interface Level {
  readonly value: number;
  readonly name: string;
  readonly sds: number;
}

function listLevels({ mean, sd }: ShownChart): Level[] {
  if (sd === null) return [{ value: mean, name: 'mean', sds: 0 }];
  return LINES.map((sds) => ({
    value: mean + sds * sd,
    name: sds === 0 ? 'mean' : `${sds > 0 ? '+' : '−'}${Math.abs(sds)} SD`,
    sds,
  }));
}

/** Whole numbers, with room for half a step at both ends. */
function createNumberAxis(first: number, last: number): Axis {
  const step = Math.max(1, Math.ceil((last - first + 1) / 10));
  const ticks = listMultiples(step, Math.ceil(first / step), Math.floor(last / step));
  return { low: first - 0.5, high: last + 0.5, ticks, decimals: 0 };
}

function drawLevels(frame: Frame, levels: readonly Level[]): Mark[] {
  const { left, top, width, height, y } = frame;
  const names = spaceApart(
    levels.map(({ value }) => ({ at: y(value), width: SMALLEST })),
    { low: top - SMALLEST, high: top + height + SMALLEST, gap: 2 },
  );
  return levels.flatMap(({ value, name, sds }, index) => [
    drawPath(
      `M${formatPx(left)} ${formatPx(y(value))}h${formatPx(width)}`,
      createStroke(
        getColor(Math.abs(sds) === 3 ? 'warning' : sds === 0 ? 'ink' : 'axis'),
        1,
        sds === 0 ? {} : { dash: Math.abs(sds) === 1 ? [1, 3] : [5, 3] },
      ),
    ),
    drawText(left + width + 6, (names[index] ?? y(value)) + 3.8, name, { color: getColor('muted') }),
  ]);
}

/** Values out of control are diamonds in another color, so that they are seen without color too. */
function drawValues(frame: Frame, points: ShownChart['points'], first: number): Mark[] {
  const { x, y } = frame;
  const places = points.map((point, index) => ({ x: x(first + index), y: y(point.value) }));
  return [
    ...drawPathIfAny(writeLinePath(places), createStroke(getColor('phase'), 1.25, { join: 'round' })),
    ...points.map((point, index) => {
      const { x: left, y: top } = places[index] ?? { x: 0, y: 0 };
      return point.is_out_of_control
        ? drawMarker('diamond', left, top, getColor('warning'))
        : drawMarker('circle', left, top, getColor('ink'));
    }),
    ...nameRules(frame, points, places),
  ];
}

/** Letters of the smallest size are about so wide. */
const LETTER_WIDTH = 6;

/** Names the rules above the values that break them, where the names do not meet; the caption has them all. */
function nameRules(
  { left, width, top }: Frame,
  points: ShownChart['points'],
  places: readonly { readonly x: number; readonly y: number }[],
): Mark[] {
  let end = left;
  return points.flatMap(({ is_out_of_control: isOut, rules }, index) => {
    const { x, y } = places[index] ?? { x: 0, y: 0 };
    const name = rules.filter((rule) => rule !== '1_2s').join(' ');
    const half = (name.length * LETTER_WIDTH) / 2;
    const isClear = x - half > end && x + half < left + width && y - 2 * SMALLEST > top;
    if (!isOut || !isClear) return [];
    end = x + half + LETTER_WIDTH;
    return [drawText(x, y - SMALLEST, name, { anchor: 'middle', color: getColor('warning') })];
  });
}

function writeCaption(chart: ShownChart, nDrawn: number): string {
  const drawn =
    nDrawn < chart.n_values
      ? `The newest ${nDrawn} of ${chart.n_values} values.`
      : `${formatCount(chart.n_values, 'value')}.`;
  const limits = chart.is_provisional
    ? 'Mean and SD are provisional until 20 values determine them.'
    : `Mean and SD (n − 1) come from the first ${formatCount(chart.n_baseline, 'value')} and stay.`;
  const broken = new Set(
    chart.points.slice(-nDrawn).flatMap(({ rules }) => rules.filter((rule) => rule !== '1_2s')),
  );
  const rules =
    broken.size === 0 ? 'No value breaks a rule of Westgard.' : `Diamonds break ${[...broken].join(', ')}.`;
  return `${drawn} ${limits} ${rules} Each value is the mean of the replicates of one plate.`;
}

function formatPlain(value: number): string {
  return String(Number(value.toPrecision(4))).replace('-', '−');
}
