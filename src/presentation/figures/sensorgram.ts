/**
 * The sensorgrams of one result: small panels on shared scales, one per replicate, each with its fit and its
 * residuals.
 */
import type { ShownAssay } from '../assays/shown-assay.ts';
import type { Sensorgram as Curve } from '#domain/results/curves.ts';
import { curvesOf } from './curves.ts';
import { drawPanel, RESIDUAL_GAP, residualOf, type Axes, type Series } from './sensorgram-panel.ts';
import { noiseSpan, rangeOf, residualAxis, signalAxis, timeAxis, type Axis } from './scale.ts';
import { colourOf, seriesColour } from '../colours.ts';
import { concentrationText, summaryText } from '../words/results.ts';
import { fitText } from './width.ts';
import { axisWidth } from './axes.ts';
import { sensorgramCaption } from './captions.ts';
import { legend, legendWidth, PITCH_MIN, type Entry } from './legend.ts';
import { shapeAt } from './markers.ts';
import { composeResult, MARGIN, WIDTH_MAX, type Body } from './picture.ts';
import { kdWords } from './measures.ts';
import type { ResultCurves } from '#domain/results/store.ts';
import type { Scene } from '../scene.ts';

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

type Shown = Pick<ShownAssay, 'words' | 'isCall'>;

/** Draws the sensorgrams of `result`. */
export function drawSensorgrams(result: ResultCurves, { words, isCall }: Shown): Scene {
  const curves = curvesOf(result.curves, 'sensorgram').filter(isDrawable);
  const concentrationsM = distinct(curves.flatMap((curve) => curve.concentration_m ?? []));
  const groups = replicatesOf(curves);
  const hasFit = curves.some((curve) => curve.fit !== null);
  const contents = { replicates: groups.length, concentrationsM, hasFit };
  const description = summaryText(result, contents, words.writeLine(result));
  const axes = axesOf(curves, groups.length);
  if (axes === undefined) return composeResult(result, words, null, description);
  const hasUnknown = curves.some((curve) => curve.concentration_m === null);
  const series = seriesOf(concentrationsM, hasUnknown);
  const body = panelsBody(result, { curves, groups, axes, series, isCall });
  return composeResult(result, words, body, description);
}

/** Whether the curve has at least one point to draw. */
function isDrawable(curve: Curve): boolean {
  return curve.time_s.some((time, index) => Number.isFinite(time) && Number.isFinite(curve.signal[index]));
}

function distinct(values: readonly number[]): number[] {
  return [...new Set(values)].toSorted((a, b) => a - b);
}

/** Returns the series with ascending concentrations; curves of unknown concentration come first. */
function seriesOf(concentrationsM: readonly number[], hasUnknown: boolean): Series[] {
  const unknown: Series = { concentrationM: null, colour: seriesColour(-1, 1), shape: 'circle' };
  const known = concentrationsM.map((concentrationM, index) => ({
    concentrationM,
    colour: seriesColour(index, concentrationsM.length),
    shape: shapeAt(concentrationsM.length - 1 - index),
  }));
  return [...(hasUnknown ? [unknown] : []), ...known];
}

interface Replicate {
  readonly replicate: number;
  readonly curves: readonly Curve[];
}

function replicatesOf(curves: readonly Curve[]): Replicate[] {
  const groups = Map.groupBy(curves, (curve) => curve.replicate);
  return [...groups]
    .map(([replicate, members]) => ({ replicate, curves: members }))
    .toSorted((a, b) => a.replicate - b.replicate);
}

/** Returns the axes that all panels share; undefined without a point to draw. */
function axesOf(curves: readonly Curve[], panels: number): Axes | undefined {
  const time = rangeOf(curves.map((curve) => curve.time_s));
  const signal = rangeOf(curves.flatMap((curve) => [curve.signal, curve.fit ?? []]));
  if (time === undefined || signal === undefined) return undefined;
  const span = noiseSpan(curves.map((curve) => curve.signal));
  return {
    time: timeAxis(time, SIZES[columnsOf(panels) - 1]?.ticks ?? 5),
    signal: signalAxis({ low: signal.low, high: Math.max(signal.high, signal.low + span) }, 6),
    residual: residualAxis(curves.map((curve) => residualOf(curve) ?? [])),
  };
}

/** Whether spikes in the residuals were cut at the edge of their plot, which the caption states. */
function hasClipped(curves: readonly Curve[], axis: Axis | null): boolean {
  if (axis === null) return false;
  return curves.some((curve) => residualOf(curve)?.some((value) => Math.abs(value) > axis.high) === true);
}

/** Returns the number of columns; four panels make a square. */
export function columnsOf(panels: number): 1 | 2 | 3 {
  if (panels <= 1) return 1;
  return panels === 2 || panels === 4 ? 2 : 3;
}

interface Drawing extends Pick<Shown, 'isCall'> {
  readonly curves: readonly Curve[];
  readonly groups: readonly Replicate[];
  readonly axes: Axes;
  readonly series: readonly Series[];
}

function panelsBody(result: ResultCurves, { curves, groups, axes, series, isCall }: Drawing): Body {
  const columns = columnsOf(groups.length);
  const entries = entriesOf(series, axes.residual !== null);
  const keyWidth = legendWidth(entries) + 16;
  const numbers = [axes.signal, ...(axes.residual === null ? [] : [axes.residual])];
  const axis = axisWidth(numbers.map((each) => ({ axis: each })));
  const taken = 2 * MARGIN + axis + keyWidth + (columns - 1) * COLUMN_GAP;
  const width = Math.floor((WIDTH_MAX - taken) / columns);
  const residualHeight = axes.residual === null ? 0 : RESIDUAL_HEIGHT;
  const below = axes.residual === null ? 0 : RESIDUAL_GAP + residualHeight;
  const signalHeight = Math.max(SIZES[columns - 1]?.height ?? 0, entries.length * PITCH_MIN - below);
  const rowHeight = PANEL_HEAD + signalHeight + below + PANEL_FOOT + ROW_GAP;
  const left = MARGIN + axis;
  const place = (index: number) => left + (index % columns) * (width + COLUMN_GAP);
  return {
    width: taken + columns * width,
    height: Math.ceil(groups.length / columns) * rowHeight - ROW_GAP,
    series: series.map(({ colour }) => colour),
    caption: sensorgramCaption(result, curves, { isCall, isClipped: hasClipped(curves, axes.residual) }),
    parts: (top) => [
      ...groups.map((group, index) =>
        drawPanel({
          ...wordsOf(result, { replicate: group.replicate, isCall }, width),
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
      ...legend(entries, {
        left: place(columns - 1) + width + 16,
        top: top + PANEL_HEAD,
        height: signalHeight + below,
      }),
    ],
  };
}

/** Returns the legend entries, highest concentration first like the curves. */
function entriesOf(series: readonly Series[], hasFit: boolean): Entry[] {
  const named = series.toReversed().map(({ concentrationM, colour, shape }) => ({
    name: concentrationM === null ? 'unknown' : concentrationText(concentrationM),
    colour,
    shape,
  }));
  return hasFit ? [...named, { name: 'fit', colour: colourOf('fit'), shape: undefined }] : named;
}

/** The replicate, where it was measured, and what it gave by itself. */
function wordsOf(
  result: ResultCurves,
  { replicate, isCall }: { readonly replicate: number; readonly isCall: boolean },
  width: number,
) {
  const row = result.replicates.find((each) => each.replicate === replicate) ?? {};
  const { plate, well, outcome, response, threshold, kd, kd_relation: relation, kd_app: interval } = row;
  const where = [plate, well].filter((each) => typeof each === 'string' && each !== '').join(' ');
  const title = `Replicate ${replicate}${where === '' ? '' : `, ${where}`}`;
  const words = (() => {
    if (isCall)
      return typeof response === 'number' ? `response ${response.toFixed(3)} ${result.signal_unit}` : '';
    if (typeof kd === 'number')
      return kdWords({
        value: kd,
        relation: typeof relation === 'string' ? relation : '=',
        ...boundsOf(interval),
      });
    return typeof outcome === 'string' && outcome !== 'measured' ? outcome.replaceAll('_', ' ') : '';
  })();
  return {
    title: fitText(title, 12, width, 600),
    words:
      words === undefined || words === ''
        ? ''
        : fitText(typeof kd === 'number' ? `KD ${words}` : words, 11, width),
    threshold: isCall && typeof threshold === 'number' ? threshold : null,
  };
}

function boundsOf(interval: unknown): { ci95_low?: number; ci95_high?: number } {
  const fields = new Map<string, unknown>(Object.entries(interval ?? {}));
  const [low, high] = [fields.get('ci_low'), fields.get('ci_high')];
  return typeof low === 'number' && typeof high === 'number' ? { ci95_low: low, ci95_high: high } : {};
}
