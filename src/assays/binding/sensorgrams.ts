/**
 * The sensorgrams of one result: small panels on shared scales, one per replicate, each with its fit and its
 * residuals.
 */
import type { Sensorgram as Curve } from '#features/results/curves.ts';
import { selectCurves, composeResult, type Body } from '#features/results/figures/picture.ts';
import { drawPanel, RESIDUAL_GAP, computeResidual, type Axes, type Series } from './sensorgram-panel.ts';
import {
  computeNoiseSpan,
  computeRange,
  createResidualAxis,
  createSignalAxis,
  createTimeAxis,
  type Axis,
} from '#documents/figures/scale.ts';
import { getColor, getSeriesColor } from '#documents/colors.ts';
import { formatConcentration } from '#core/number-words.ts';
import type { ResultWords } from '#features/results/words/result-words.ts';
import { fitText } from '#documents/figures/width.ts';
import { computeAxisWidth } from '#documents/figures/axes.ts';
import { writeSensorgramCaption } from './caption.ts';
import { buildParameterTable, computeTableHeight, drawParameterTable } from './parameter-table.ts';
import {
  drawLegend,
  computeLegendWidth,
  PITCH_MIN,
  type Entry,
  getShape,
} from '#documents/figures/markers.ts';
import { countColumns, MARGIN, WIDTH_MAX } from '#documents/figures/panel.ts';
import type { Row } from '#features/results/figures/measures.ts';
import type { ResultCurves } from '#features/results/store.ts';
import type { Scene } from '#documents/scene.ts';
import { describeEmpty, formatFlags } from '#features/results/words/results.ts';

/** Sensorgrams in words. */
const COUNT_WORDS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

function formatCount(count: number, noun: string): string {
  return `${COUNT_WORDS[count] ?? count} ${noun}${count === 1 ? '' : 's'}`;
}

interface Contents {
  readonly replicates: number;
  /** Distinct known concentrations, ascending. */
  readonly concentrationsM: readonly number[];
  readonly hasFit: boolean;
}

/** Describes a figure for someone who cannot see it; `line` is the result in a sentence. */
function writeSummary(result: ResultCurves, contents: Contents, line: string): string {
  const against = result.target_name === null ? '' : ` against ${result.target_name}`;
  const facts = [line];
  if (result.flags.length > 0) {
    facts.push(`${result.flags.length === 1 ? 'flag' : 'flags'}: ${formatFlags(result.flags)}`);
  }
  const subject = `${result.sequence_name}${against}, experiment ${result.experiment_code}`;
  if (contents.replicates === 0)
    return `${subject}: ${facts.join(', ')}. ${describeEmpty(result, 'sensorgrams')}`;
  const shown = [formatCount(contents.replicates, 'replicate'), ...formatRange(contents.concentrationsM)];
  const fit = contents.hasFit ? 'with fits and residuals' : 'without a fit';
  return `Sensorgrams of ${subject}: ${shown.join(', ')}, ${fit}; ${facts.join(', ')}.`;
}

function formatRange(concentrationsM: readonly number[]): string[] {
  const [lowest] = concentrationsM;
  const highest = concentrationsM.at(-1);
  if (lowest === undefined || highest === undefined) return [];
  const count = formatCount(concentrationsM.length, 'concentration');
  if (lowest === highest) return [`${count} (${formatConcentration(lowest)})`];
  return [`${count} (${formatConcentration(lowest)} to ${formatConcentration(highest)})`];
}

/** For each number of columns: the height of the trace plot of a panel, and the number of time ticks. */
const SIZES = [
  { height: 300, ticks: 10 },
  { height: 220, ticks: 5 },
  { height: 180, ticks: 3 },
] as const;
const RESIDUAL_HEIGHT = 68;
const COLUMN_GAP = 24;
const PANEL_HEAD = 52;
const PANEL_FOOT = 40;
const ROW_GAP = 14;

/** What an assay says of its sensorgrams. */
export interface SensorgramWords extends ResultWords {
  /** Beneath the plots: how the numbers came about. */
  readonly writeNumbers: (result: ResultCurves) => string;
  /** Above the plot of a replicate: what it gave by itself; empty where it gave nothing. */
  readonly writeReplicate: (replicate: Row, signalUnit: string) => string;
  /** A signal to compare a replicate with. */
  readonly findThreshold: (replicate: Row) => number | null;
}

export function drawSensorgrams(result: ResultCurves, words: SensorgramWords): Scene {
  const curves = selectCurves(result.curves, 'sensorgram').filter(isDrawable);
  const concentrationsM = sortDistinct(curves.flatMap((curve) => curve.concentration_m ?? []));
  const groups = groupReplicates(curves);
  const hasFit = curves.some((curve) => curve.fit !== null);
  const dosesM = sortDistinct(curves.flatMap(listDoses));
  const contents = { replicates: groups.length, concentrationsM: dosesM, hasFit };
  const description = writeSummary(result, contents, words.writeLine(result));
  const axes = computeAxes(curves, groups.length);
  if (axes === undefined) return composeResult(result, words, null, description);
  const hasUnknown = curves.some((curve) => curve.concentration_m === null);
  const series = buildSeries(curves, concentrationsM, hasUnknown);
  const body = drawPanels(result, words, { curves, groups, axes, series });
  return composeResult(result, words, body, description);
}

/** Whether the curve has at least one point to draw. */
function isDrawable(curve: Curve): boolean {
  return curve.time_s.some((time, index) => Number.isFinite(time) && Number.isFinite(curve.signal[index]));
}

function sortDistinct(values: readonly number[]): number[] {
  return [...new Set(values)].toSorted((a, b) => a - b);
}

/** Returns the series with ascending concentrations; curves of unknown concentration come first. */
function buildSeries(
  curves: readonly Curve[],
  concentrationsM: readonly number[],
  hasUnknown: boolean,
): Series[] {
  const unknown: Series = {
    name: 'unknown',
    concentrationM: null,
    color: getSeriesColor(-1, 1),
    shape: 'circle',
  };
  const known = concentrationsM.map((concentrationM, index) => ({
    name: nameSeries(curves.filter(({ concentration_m: highest }) => highest === concentrationM)),
    concentrationM,
    color: getSeriesColor(index, concentrationsM.length),
    shape: getShape(concentrationsM.length - 1 - index),
  }));
  return [...(hasUnknown ? [unknown] : []), ...known];
}

/** Returns the concentrations of a curve in M: one, or those of its injections. */
function listDoses({ concentration_m: concentration, injections }: Curve): number[] {
  if (injections !== undefined) return injections.map(({ concentration_m: dose }) => dose);
  return concentration === null ? [] : [concentration];
}

/** Names the curves that share a highest concentration; a curve of several injections has a range. */
function nameSeries(curves: readonly Curve[]): string {
  const doses = sortDistinct(curves.flatMap(listDoses));
  const lowest = doses[0] ?? 0;
  const highest = doses.at(-1) ?? 0;
  const names = [lowest, highest].map(formatConcentration);
  return lowest === highest ? formatConcentration(highest) : names.join(' to ');
}

interface Replicate {
  readonly replicate: number;
  readonly curves: readonly Curve[];
}

function groupReplicates(curves: readonly Curve[]): Replicate[] {
  const groups = Map.groupBy(curves, (curve) => curve.replicate);
  return [...groups]
    .map(([replicate, members]) => ({ replicate, curves: members }))
    .toSorted((a, b) => a.replicate - b.replicate);
}

/** Returns the axes that all panels share; undefined without a point to draw. */
function computeAxes(curves: readonly Curve[], panels: number): Axes | undefined {
  const time = computeRange(curves.map((curve) => curve.time_s));
  const signal = computeRange(curves.flatMap((curve) => [curve.signal, curve.fit ?? []]));
  if (time === undefined || signal === undefined) return undefined;
  const span = computeNoiseSpan(curves.map((curve) => curve.signal));
  return {
    time: createTimeAxis(time, SIZES[countColumns(panels) - 1]?.ticks ?? 5),
    signal: createSignalAxis({ low: signal.low, high: Math.max(signal.high, signal.low + span) }, 6),
    residual: createResidualAxis(curves.map((curve) => computeResidual(curve) ?? [])),
  };
}

/** Whether spikes in the residuals were cut at the edge of their plot, which the caption states. */
function hasClipped(curves: readonly Curve[], axis: Axis | null): boolean {
  if (axis === null) return false;
  return curves.some(
    (curve) => computeResidual(curve)?.some((value) => Math.abs(value) > axis.high) === true,
  );
}

interface Drawing {
  readonly curves: readonly Curve[];
  readonly groups: readonly Replicate[];
  readonly axes: Axes;
  readonly series: readonly Series[];
}

function drawPanels(
  result: ResultCurves,
  words: SensorgramWords,
  { curves, groups, axes, series }: Drawing,
): Body {
  const columns = countColumns(groups.length);
  const entries = listEntries(series, axes.residual !== null);
  const keyWidth = computeLegendWidth(entries) + 16;
  const numbers = [axes.signal, ...(axes.residual === null ? [] : [axes.residual])];
  const axis = computeAxisWidth(numbers.map((each) => ({ axis: each })));
  const fixedWidth = 2 * MARGIN + axis + keyWidth + (columns - 1) * COLUMN_GAP;
  const width = Math.floor((WIDTH_MAX - fixedWidth) / columns);
  const residualHeight = axes.residual === null ? 0 : RESIDUAL_HEIGHT;
  const below = axes.residual === null ? 0 : RESIDUAL_GAP + residualHeight;
  const signalHeight = Math.max(SIZES[columns - 1]?.height ?? 0, entries.length * PITCH_MIN - below);
  const rowHeight = PANEL_HEAD + signalHeight + below + PANEL_FOOT + ROW_GAP;
  const left = MARGIN + axis;
  const place = (index: number) => left + (index % columns) * (width + COLUMN_GAP);
  const plotsHeight = Math.ceil(groups.length / columns) * rowHeight - ROW_GAP;
  const table = buildParameterTable(result, curves);
  const total = fixedWidth + columns * width;
  return {
    width: total,
    height: plotsHeight + computeTableHeight(table),
    series: series.map(({ color }) => color),
    caption: writeSensorgramCaption(result, curves, {
      isClipped: hasClipped(curves, axes.residual),
      numbers: words.writeNumbers(result),
    }),
    drawParts: (top) => [
      ...groups.map((group, index) =>
        drawPanel({
          ...describeReplicate(result, words, { replicate: group.replicate, width }),
          curves: group.curves,
          left: place(index),
          top: top + PANEL_HEAD + Math.floor(index / columns) * rowHeight,
          width,
          signalHeight,
          residualHeight,
          isFirst: index % columns === 0,
          signalUnit: fitText(result.signal_unit, 12, 30),
          axes,
          series,
        }),
      ),
      ...drawLegend(entries, {
        left: place(columns - 1) + width + 16,
        top: top + PANEL_HEAD,
        height: signalHeight + below,
      }),
      ...(table === null
        ? []
        : drawParameterTable(table, {
            left: MARGIN,
            top: top + plotsHeight,
            width: total - 2 * MARGIN,
          })),
    ],
  };
}

/** Returns the legend entries, highest concentration first like the curves. */
function listEntries(series: readonly Series[], hasFit: boolean): Entry[] {
  const named = series.toReversed().map(({ name, color, shape }) => ({ name, color, shape }));
  return hasFit ? [...named, { name: 'fit', color: getColor('fit'), shape: undefined }] : named;
}

/** Describes the replicate: its number, where it was measured, and its own result. */
function describeReplicate(
  result: ResultCurves,
  words: SensorgramWords,
  { replicate, width }: { readonly replicate: number; readonly width: number },
) {
  const row = result.replicates.find((each) => each.replicate === replicate) ?? {};
  const where = [row.plate, row.well].filter((each) => typeof each === 'string' && each !== '').join(' ');
  const title = `Replicate ${replicate}${where === '' ? '' : `, ${where}`}`;
  return {
    title: fitText(title, 12, width, 600),
    words: fitText(words.writeReplicate(row, result.signal_unit), 11, width),
    threshold: words.findThreshold(row),
  };
}
