/**
 * The sensorgrams of one result as a standalone SVG: small multiples on shared scales, one per replicate, each with
 * its fit and its residuals. The same result gives the same bytes; nothing in it runs or is loaded from elsewhere.
 */
import { curvesOf, type Sensorgram as Curve } from './curves.ts';
import { drawPanel, FIT_WIDTH, RAW_WIDTH, RESIDUAL_GAP, residualOf, text, type Axes } from './plot-panel.ts';
import { px, noiseSpan, rangeOf, residualAxis, signalAxis, timeAxis, type Axis } from './plot-scale.ts';
import { colourOf, fill, FONT, seriesColour, stroke, styleSheet, type Colour } from './plot-style.ts';
import { emptyText, escapeXml, fitText, summaryText } from './plot-text.ts';
import { FOOT_TEXT, headOf, MARGIN, sourceOf } from './plots/picture.ts';
import type { ResultCurves } from './store.ts';

/** By number of columns: the size of the trace plot of each panel, and how many time ticks fit. */
const SIZES = [
  { width: 600, height: 320, ticks: 10 },
  { width: 380, height: 260, ticks: 5 },
  { width: 290, height: 220, ticks: 4 },
] as const;
const RESIDUAL_HEIGHT = 78;
const AXIS_WIDTH = 68;
const LABEL_WIDTH = 94;
const PANEL_HEAD = 42;
const PANEL_FOOT = 40;
const ROW_GAP = 14;
const EMPTY_SIZE = { width: 720, height: 130 } as const;

/** Draws `result`; see the module comment. */
export function sensorgramSvg(result: ResultCurves): string {
  const curves = curvesOf(result.curves, 'sensorgram').filter(isDrawable);
  const concentrationsM = distinct(curves.flatMap((curve) => curve.concentration_m ?? []));
  const groups = replicatesOf(curves);
  const hasUnknown = curves.some((curve) => curve.concentration_m === null);
  const hasFit = curves.some((curve) => curve.fit !== null);
  const description = summaryText(result, { replicates: groups.length, concentrationsM, hasFit });
  const colour = (concentrationM: number | null) =>
    seriesColour(
      concentrationM === null ? -1 : concentrationsM.indexOf(concentrationM),
      concentrationsM.length,
    );
  const series = [...(hasUnknown ? [colour(null)] : []), ...concentrationsM.map(colour)];
  const axes = axesOf(curves, groups.length);
  const body = axes === undefined ? emptyBody(result) : panelsBody(result, { groups, axes, colour, series });
  const { width, height } = body;
  const label = escapeXml(result.title);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="sensorgram" role="img" aria-label="${label}" width="${px(width)}" height="${px(height)}" viewBox="0 0 ${px(width)} ${px(height)}" font-family="${FONT}">`,
    `<title>${label}</title>`,
    `<desc>${escapeXml(description)}</desc>`,
    `<style>${styleSheet(series)}</style>`,
    `<rect width="100%" height="100%" ${fill(colourOf('paper'))}/>`,
    ...body.parts,
    `</svg>`,
    '',
  ].join('\n');
}

interface Body {
  readonly width: number;
  readonly height: number;
  readonly parts: readonly string[];
}

/** At least one point to draw. */
function isDrawable(curve: Curve): boolean {
  return curve.time_s.some((time, index) => Number.isFinite(time) && Number.isFinite(curve.signal[index]));
}

function distinct(values: readonly number[]): number[] {
  return [...new Set(values)].toSorted((a, b) => a - b);
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

/** Shared by all panels; undefined without a point to draw. */
function axesOf(curves: readonly Curve[], panels: number): Axes | undefined {
  const time = rangeOf(curves.map((curve) => curve.time_s));
  const signal = rangeOf(curves.flatMap((curve) => [curve.signal, curve.fit ?? []]));
  if (time === undefined || signal === undefined) return undefined;
  const span = noiseSpan(curves.map((curve) => curve.signal));
  return {
    time: timeAxis(time, sizeOf(panels).ticks),
    signal: signalAxis({ low: signal.low, high: Math.max(signal.high, signal.low + span) }, 6),
    residual: residualAxis(curves.map((curve) => residualOf(curve) ?? [])),
  };
}

/** Spikes in the residuals are drawn at the edge of their plot, and the key says so. */
function hasClipped(curves: readonly Curve[], axis: Axis | null): boolean {
  if (axis === null) return false;
  return curves.some((curve) => residualOf(curve)?.some((value) => Math.abs(value) > axis.high) === true);
}

/** Four panels make a square. */
function columnsOf(panels: number): 1 | 2 | 3 {
  if (panels <= 1) return 1;
  return panels === 2 || panels === 4 ? 2 : 3;
}

function sizeOf(panels: number): (typeof SIZES)[number] {
  return SIZES[columnsOf(panels) - 1] ?? SIZES[0];
}

interface Drawing {
  readonly groups: readonly Replicate[];
  readonly axes: Axes;
  readonly colour: (concentrationM: number | null) => Colour;
  /** Every colour in use, by concentration. */
  readonly series: readonly Colour[];
}

function panelsBody(result: ResultCurves, { groups, axes, colour, series }: Drawing): Body {
  const columns = columnsOf(groups.length);
  const size = sizeOf(groups.length);
  const cellWidth = size.width + LABEL_WIDTH;
  const width = MARGIN + AXIS_WIDTH + columns * cellWidth;
  const residualHeight = axes.residual === null ? 0 : RESIDUAL_HEIGHT;
  const plotsHeight = size.height + (axes.residual === null ? 0 : RESIDUAL_GAP + residualHeight);
  const rowHeight = PANEL_HEAD + plotsHeight + PANEL_FOOT + ROW_GAP;
  const head = headOf(result, width);
  const signalUnit = fitText(result.signal_unit, 12, 30);
  const panels = groups.map((group, index) =>
    drawPanel({
      title: `Replicate ${group.replicate}`,
      curves: group.curves,
      left: MARGIN + AXIS_WIDTH + (index % columns) * cellWidth,
      top: head.height + PANEL_HEAD + Math.floor(index / columns) * rowHeight,
      width: size.width,
      signalHeight: size.height,
      residualHeight,
      isFirst: index % columns === 0,
      signalUnit,
      axes,
      colour,
    }),
  );
  const panelsBottom = head.height + Math.ceil(groups.length / columns) * rowHeight;
  const foot = [
    ...keyOf(series, panelsBottom, fitWordsOf(groups, axes.residual)),
    sourceOf(result, width, panelsBottom),
  ];
  return { width, height: panelsBottom + 30, parts: [...head.parts, ...panels, ...foot] };
}

function emptyBody(result: ResultCurves): Body {
  const { width, height } = EMPTY_SIZE;
  const head = headOf(result, width);
  const top = head.height + 14;
  const frame = `<rect x="${MARGIN}" y="${px(top)}" width="${width - 2 * MARGIN}" height="${height}" rx="4" ${stroke(colourOf('phase'), 1)} stroke-dasharray="3 3"/>`;
  const sentence = text(width / 2, top + height / 2 + 5, emptyText(result.outcome), {
    anchor: 'middle',
    size: 14,
    colour: colourOf('muted'),
  });
  const foot = sourceOf(result, width, top + height + 14);
  return { width, height: top + height + 44, parts: [...head.parts, frame, sentence, foot] };
}

/** What the marks mean. */
function keyOf(series: readonly Colour[], top: number, fitWords: string | null): string[] {
  const y = top + 8;
  const chosen = [series[0], series[Math.floor(series.length / 2)], series.at(-1)].flatMap(
    (each) => each ?? [],
  );
  const shades = chosen.map(
    (colour, index) => `<path d="M${MARGIN + index * 8} ${px(y - 4)}h8" ${stroke(colour, RAW_WIDTH)}/>`,
  );
  const measured = [...shades, text(MARGIN + 30, y, 'measured', FOOT_TEXT)];
  if (fitWords === null) return measured;
  const line = `<path d="M${MARGIN + 96} ${px(y - 4)}h24" ${stroke(colourOf('fit'), FIT_WIDTH)}/>`;
  return [...measured, line, text(MARGIN + 126, y, fitWords, FOOT_TEXT)];
}

function fitWordsOf(groups: readonly Replicate[], axis: Axis | null): string | null {
  if (axis === null) return null;
  const isClipped = groups.some(({ curves }) => hasClipped(curves, axis));
  return `fit; residual = measured − fit${isClipped ? ', spikes cut at the edge' : ''}`;
}
