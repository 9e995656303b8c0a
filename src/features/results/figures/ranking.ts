/** All results of an experiment by rank: value, 95 % interval, and the replicates behind it. */
import { computeMedian } from '#analysis/numerics/statistics.ts';
import { isLimit } from '#core/relations.ts';
import type { RankedExperiment, RankedResult } from '../ranked.ts';
import { formatPx, type Scale } from '#documents/figures/scale.ts';
import { getColor, getSeriesColor, type Color } from '#documents/colors.ts';
import { fitText, computeTextWidth } from '#documents/figures/width.ts';
import { createDecadeAxis, createFrame, createValueAxis, type AxisSpec } from '#documents/figures/axes.ts';
import { drawLimitMark, drawMarker } from '#documents/figures/markers.ts';
import { listReplicates, type Measure } from './measures.ts';
import { composeFigure } from './picture.ts';
import { MARGIN, SMALLEST, WIDTH_MAX } from '#documents/figures/panel.ts';
import { FAILED_PLATE, isOnFailedPlate } from '../words/failed-plate.ts';
import { GRADE_KEY, GRADE_MARKS, isOutcome, OUTCOME_WORDS } from '../words/outcomes.ts';
import {
  drawCircle,
  fill,
  drawPath,
  createStroke,
  drawText,
  type Mark,
  type Scene,
} from '#documents/scene.ts';

const NAME_WIDTH_MAX = 230;
const VALUE_WIDTH_MAX = 220;
const COUNT_WIDTH = 30;
const GAP = 14;
const PITCH = 20;
const HEAD = 26;
const FOOT = 48;
const SIZE = 11.5;
const SAMPLE = getSeriesColor(0, 3);
const CONTROL = getSeriesColor(2, 3);

/** Rows that fit on a page of a report beside its title and caption. */
export const ROWS_OF_PAGE = 44;

/** Draws the results in one figure. */
export function drawRanking(experiment: RankedExperiment, measure: Measure): Scene {
  const { rows, left } = selectRows(experiment, measure);
  return drawPage(experiment, { measure, layout: computeLayout(rows, measure), rows, from: 0, left });
}

/** Selects the rows with something to draw; a table has the others. Where no row has, all of them say why. */
function selectRows(experiment: RankedExperiment, measure: Measure): { rows: readonly Row[]; left: number } {
  const all = experiment.results.map((result) => buildRow(result, measure));
  const drawn = all.filter(({ value, replicates }) => value !== null || replicates.length > 0);
  const rows = drawn.length > 0 ? drawn : all;
  return { rows, left: all.length - rows.length };
}

/** Draws figures of at most `rowsMax` results each, on one scale. */
export function drawRankingPages(experiment: RankedExperiment, measure: Measure, rowsMax: number): Scene[] {
  const { rows: all, left } = selectRows(experiment, measure);
  const layout = computeLayout(all, measure);
  const pages = Math.max(1, Math.ceil(all.length / rowsMax));
  // Distributes the rows evenly over the pages.
  const rows = Math.max(1, Math.ceil(all.length / pages));
  return Array.from({ length: pages }, (_, index) => {
    const from = index * rows;
    return drawPage(experiment, { measure, layout, rows: all.slice(from, from + rows), from, left });
  });
}

interface Layout {
  readonly name: number;
  readonly plot: number;
  readonly value: number;
  readonly axis: AxisSpec;
}

interface Page {
  readonly measure: Measure;
  readonly layout: Layout;
  readonly rows: readonly Row[];
  /** Number of rows on earlier pages. */
  readonly from: number;
  /** Number of results on no page, because they have no value. */
  readonly left: number;
}

function computeLayout(rows: readonly Row[], measure: Measure): Layout {
  const computeWidest = (words: readonly string[], limit: number) =>
    Math.min(limit, Math.max(80, ...words.map((each) => computeTextWidth(each, SIZE))));
  const name = computeWidest(
    rows.map((row) => row.name),
    NAME_WIDTH_MAX,
  );
  const value = computeWidest([measure.head, ...rows.map((row) => row.words)], VALUE_WIDTH_MAX);
  const plot = WIDTH_MAX - 2 * MARGIN - name - value - COUNT_WIDTH - 3 * GAP;
  return { name, value, plot, axis: buildAxis(rows, measure) };
}

function drawPage(experiment: RankedExperiment, { measure, layout, rows, from, left: absent }: Page): Scene {
  const { code, results, total } = experiment;
  const height = Math.max(1, rows.length) * PITCH;
  const left = MARGIN + layout.name + GAP;
  const right = left + layout.plot;
  const count = right + GAP + layout.value + GAP + COUNT_WIDTH;
  const of = total === results.length ? `${total}` : `the best ${results.length} of ${total}`;
  const isPart = rows.length < results.length;
  const shown = isPart
    ? `${from + 1} to ${from + rows.length} of ${of} sequences`
    : `${of} sequence${total === 1 ? '' : 's'}`;
  const title = `${measure.title} of ${code}`;
  const without =
    absent === 0 ? '' : ` ${absent === 1 ? '1 sequence' : `${absent} sequences`} without a value not shown.`;
  const failed = results.filter(({ summary }) => isOnFailedPlate(summary)).length;
  const warning = failed === 0 ? '' : `; ${failed} in doubt: ${FAILED_PLATE}`;
  const level = measure.level === undefined ? '' : `; dashed: ${measure.level.name}`;
  return composeFigure(
    {
      title,
      line: `${shown}, best first${warning}`,
      description: `${title}: ${shown}, best first, with their intervals, if they have any, and replicates${warning}.`,
    },
    {
      width: WIDTH_MAX,
      height: HEAD + height + FOOT,
      series: [SAMPLE, CONTROL],
      caption: `${describeMarks(rows, measure, layout.axis)}${level}. n: replicates with a value.${results.some(({ grade }) => grade !== undefined) ? ` Grade: ${GRADE_KEY}.` : ''}${without}`,
      drawParts: (start) => {
        const top = start + HEAD;
        const frame = createFrame({ left, top, width: layout.plot, height }, layout.axis, {
          axis: { low: 0, high: 1, ticks: [], decimals: 0 },
          name: '',
          isBare: true,
        });
        const muted = { size: SMALLEST, color: getColor('muted') };
        return [
          drawText(right + GAP, top - 10, measure.head, muted),
          drawText(count, top - 10, 'n', { ...muted, anchor: 'end' }),
          ...frame.parts,
          ...drawLevelLine(measure, frame.x, top, height),
          ...rows.flatMap((row, index) =>
            drawRow(row, {
              y: top + (index + 0.5) * PITCH,
              x: frame.x,
              limits: [left, right],
              layout,
              count,
            }),
          ),
        ];
      },
    },
  );
}

/** Explains the marks that some row has. */
function describeMarks(rows: readonly Row[], { caption }: Measure, { axis, isDecades }: AxisSpec): string {
  const place = (value: number) => (isDecades === true ? Math.log10(value) : value);
  const isBeyond = (value: number | null) =>
    value !== null && (place(value) < axis.low || place(value) > axis.high);
  const valued = rows.filter(({ value }) => value !== null);
  const isPoint = ({ relation }: Row) => !isLimit(relation);
  const marks = [
    ...(valued.some((row) => isPoint(row) && !row.isControl) ? ['filled circle: sequence'] : []),
    ...(valued.some((row) => isPoint(row) && row.isControl) ? ['diamond: control'] : []),
    caption,
    ...(rows.some(({ replicates }) => replicates.length > 0) ? ['open circles: replicates'] : []),
    ...(valued.some((row) => !isPoint(row)) ? ['open triangle: a limit, the value lies beyond it'] : []),
    ...(rows.some(({ low, high }) => isBeyond(low) || isBeyond(high))
      ? ['arrow: the interval continues']
      : []),
  ].join('; ');
  return `${marks.charAt(0).toUpperCase()}${marks.slice(1)}`;
}

function drawLevelLine({ level }: Measure, x: Scale, top: number, height: number): Mark[] {
  if (level === undefined) return [];
  return [
    drawPath(
      `M${formatPx(x(level.value))} ${formatPx(top)}v${formatPx(height)}`,
      createStroke(getColor('ink'), 1, { dash: [5, 3] }),
    ),
  ];
}

interface Row {
  readonly name: string;
  readonly isControl: boolean;
  readonly value: number | null;
  readonly relation: string;
  readonly low: number | null;
  readonly high: number | null;
  readonly replicates: readonly { readonly value: number; readonly relation: string }[];
  readonly words: string;
  readonly count: number;
}

/** What stands in place of a value. */
function formatMissing({ outcome, summary }: RankedResult, measure: Measure): string {
  if (outcome === 'measured') return measure.describeMeasured?.(summary) ?? 'no value determined';
  return isOutcome(outcome) ? OUTCOME_WORDS[outcome] : outcome.replaceAll('_', ' ');
}

function buildRow(result: RankedResult, measure: Measure): Row {
  const quantity = measure.getQuantity(result);
  const isDrawn = (each: unknown): each is number =>
    typeof each === 'number' && Number.isFinite(each) && (!measure.isDecades || each > 0);
  const value = quantity?.value ?? null;
  const replicates = listReplicates(result).flatMap((row) => {
    const member = measure.getReplicateValue(row);
    const relation = measure.getReplicateRelation(row);
    return isDrawn(member) ? { value: member, relation: typeof relation === 'string' ? relation : '=' } : [];
  });
  const valueParts = quantity === undefined ? undefined : measure.formatQuantity(quantity);
  return {
    name: `${result.grade === undefined ? '' : `${GRADE_MARKS[result.grade]} `}${result.place === null ? '' : `${result.place}. `}${result.sequence_name}`,
    isControl: result.is_control,
    value: isDrawn(value) ? value : null,
    relation: quantity?.relation ?? '=',
    low: isDrawn(quantity?.ci95_low) ? quantity.ci95_low : null,
    high: isDrawn(quantity?.ci95_high) ? quantity.ci95_high : null,
    replicates,
    words: valueParts ?? formatMissing(result, measure),
    count: quantity?.n ?? replicates.length,
  };
}

/** An open interval may span any number of decades, so it is cut at this factor from the values. */
const INTERVAL_ROOM = 10;

function buildAxis(rows: readonly Row[], measure: Measure): AxisSpec {
  const { axis: name, format, level, isDecades } = measure;
  const values = [
    ...rows
      .flatMap((row) => [row.value, ...row.replicates.map((each) => each.value)])
      .flatMap((each) => each ?? []),
    ...(level === undefined ? [] : [level.value]),
  ];
  const intervals = rows.flatMap(({ low, high }) => [low, high].flatMap((each) => each ?? []));
  const named = { name, ...(format === undefined ? {} : { format }) };
  if (values.length === 0)
    return isDecades
      ? { ...named, axis: createDecadeAxis({ low: 1e-9, high: 1e-6 }), isDecades }
      : { ...named, axis: createValueAxis({ low: 0, high: 1 }, 6) };
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (!isDecades) {
    const room = Math.max(high - low, computeUsualWidth(rows));
    const range = {
      low: Math.max(low - room, Math.min(low, ...intervals)),
      high: Math.min(high + room, Math.max(high, ...intervals)),
    };
    return { ...named, axis: createValueAxis(range, 6) };
  }
  const range = {
    low: Math.max(low / INTERVAL_ROOM, Math.min(low, ...intervals)) / 1.5,
    high: Math.min(high * INTERVAL_ROOM, Math.max(high, ...intervals)) * 1.5,
  };
  return { ...named, axis: createDecadeAxis(range), isDecades };
}

/** Returns the median width of the intervals, so that a single wide one does not compress all values at an edge. */
function computeUsualWidth(rows: readonly Row[]): number {
  const widths = rows.flatMap(({ low, high }) => (low === null || high === null ? [] : [high - low]));
  return widths.length === 0 ? 0 : computeMedian(widths);
}

interface Place {
  readonly y: number;
  readonly x: Scale;
  readonly limits: readonly [left: number, right: number];
  readonly layout: Layout;
  /** Right edge of the number of replicates. */
  readonly count: number;
}

function drawRow(row: Row, { y, x, limits, layout, count }: Place): Mark[] {
  const { value, relation } = row;
  const color = row.isControl ? CONTROL : SAMPLE;
  const clampToLimits = (each: number) => Math.max(limits[0], Math.min(limits[1], x(each)));
  const parts = [
    drawText(limits[0] - GAP, y + 4, fitText(row.name, SIZE, layout.name), { size: SIZE, anchor: 'end' }),
    drawText(limits[1] + GAP, y + 4, fitText(row.words, SIZE, layout.value), {
      size: SIZE,
      ...(value === null ? { color: getColor('muted') } : {}),
    }),
    ...(row.count === 0 ? [] : [drawText(count, y + 4, String(row.count), { size: SIZE, anchor: 'end' })]),
    ...drawInterval(row, { y, x, limits, color }),
  ];
  const open = { ...fill(getColor('paper')), ...createStroke(color, 1.1) };
  for (const each of row.replicates) parts.push(drawCircle(clampToLimits(each.value), y, 2.6, open));
  if (value === null) return parts;
  const at = clampToLimits(value);
  if (isLimit(relation)) parts.push(drawLimitMark(relation, at, y, color));
  else parts.push(drawMarker(row.isControl ? 'diamond' : 'circle', at, y, color));
  return parts;
}

interface Line {
  readonly y: number;
  readonly x: Scale;
  readonly limits: readonly [left: number, right: number];
  readonly color: Color;
}

/** Draws the interval with a foot at each end, or an arrow where it continues beyond the plot. */
function drawInterval({ low, high }: Row, { y, x, limits, color }: Line): Mark[] {
  if (low === null || high === null) return [];
  const [left, right] = limits;
  const [from, to] = [Math.max(left, Math.min(right, x(low))), Math.max(left, Math.min(right, x(high)))];
  const isCutLow = x(low) < left - 0.5;
  const isCutHigh = x(high) > right + 0.5;
  const feet = `${isCutLow ? '' : `M${formatPx(from)} ${formatPx(y - 4)}v8`}${isCutHigh ? '' : `M${formatPx(to)} ${formatPx(y - 4)}v8`}`;
  const drawArrow = (at: number, tip: number) =>
    drawPath(`M${formatPx(at)} ${formatPx(y)}l${tip * -7} -3.5v7z`, fill(color));
  return [
    drawPath(`M${formatPx(from)} ${formatPx(y)}H${formatPx(to)}${feet}`, createStroke(color, 1.5)),
    ...(isCutLow ? [drawArrow(left, -1)] : []),
    ...(isCutHigh ? [drawArrow(right, 1)] : []),
  ];
}
